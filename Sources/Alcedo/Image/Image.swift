import AlcedoCodecs
import AlcedoLocks
public import Foundation

/// An image where Kingfisher's API names the platform's image type.
public typealias KFCrossPlatformImage = Image

/// An immutable image: bytes that decode on first use, or pixels; still or animated.
///
/// Made from data it reads the headers at once and decodes only when pixels are asked for; `kf.decoded` does that
/// ahead of time. Copies at other scales share bytes and pixels, whichever of them decodes first. Safe on every thread.
///
/// It always stands upright: an orientation in the bytes has been applied to its size and its pixels.
public final class Image: Sendable {
    /// Pixels per point; 1 by default.
    public let scale: CGFloat

    /// Width and height in pixels, upright.
    public let pixelSize: PixelSize

    let store: PixelStore

    /// All frames, if they were decoded ahead or made one by one; else the pixels are those of the first.
    let animation: ImageAnimation?

    /// What it was made with.
    let creatingOptions: ImageCreatingOptions

    /// What Kingfisher attaches to an image; the picture does not depend on it.
    let attachments: Lock<ImageAttachments>

    init(
        store: PixelStore,
        pixelSize: PixelSize,
        animation: ImageAnimation? = nil,
        options: ImageCreatingOptions,
        attachments: ImageAttachments = ImageAttachments()
    ) {
        scale = options.scale
        self.store = store
        self.pixelSize = pixelSize
        self.animation = animation
        creatingOptions = options
        self.attachments = Lock(attachments)
    }

    /// Reads the headers of `data`, in any format of ``AlcedoCodecs/CodecRegistry``.
    ///
    /// - Parameters:
    ///   - data: the encoded image, whole.
    ///   - scale: pixels per point.
    ///   - limits: what decoding may spend, now and later.
    /// - Throws: ``CodecError`` if the data is not an image, is cut short or exceeds a limit. Damage that headers
    ///   don't show is found by ``bitmap()``.
    public convenience init(
        decoding data: Data,
        scale: CGFloat = 1,
        limits: DecodeLimits = DecodeLimits()
    ) throws(CodecError) {
        let encoded = try EncodedImage(data, limits: limits)
        self.init(
            store: PixelStore(encoded),
            pixelSize: encoded.info.uprightSize,
            options: ImageCreatingOptions(scale: scale)
        )
    }

    /// An image of decoded pixels.
    ///
    /// - Parameters:
    ///   - bitmap: upright pixels; their alpha must not be ``Bitmap/Alpha/straight``.
    ///   - scale: pixels per point.
    public convenience init(bitmap: Bitmap, scale: CGFloat = 1) {
        self.init(bitmap: bitmap, orientation: .up, scale: scale)
    }

    /// An image of decoded pixels that have yet to be turned; that happens when pixels are asked for.
    convenience init(bitmap: Bitmap, orientation: Orientation, scale: CGFloat) {
        precondition(bitmap.alpha != .straight, "an Image is premultiplied")
        self.init(
            store: PixelStore(bitmap, orientation: orientation),
            pixelSize: orientation.upright(bitmap.size),
            options: ImageCreatingOptions(scale: scale)
        )
    }

    /// The same picture at another scale; pixels and bytes are shared.
    convenience init(_ image: Image, scale: CGFloat) {
        var options = image.creatingOptions
        options.scale = scale
        self.init(
            store: image.store,
            pixelSize: image.pixelSize,
            animation: image.animation?.scaled(to: scale),
            options: options,
            attachments: image.attachments.withLock { $0 }
        )
    }

    /// Width and height in points.
    public var size: CGSize {
        CGSize(width: CGFloat(pixelSize.width) / scale, height: CGFloat(pixelSize.height) / scale)
    }

    /// The bytes that the image was made from and that still describe it exactly; nil once pixels were changed.
    var encoded: EncodedImage? { animation?.isMadeOfImages == true ? nil : store.encoded }

    /// What the headers of its bytes say; nil for an image of changed or drawn pixels.
    public var info: ImageInfo? { encoded?.info }

    /// The upright pixels, of the first frame if there are several; decoded on first use and then kept.
    ///
    /// - Throws: ``CodecError`` if the bytes turn out to be damaged.
    public func bitmap() throws(CodecError) -> Bitmap {
        try store.bitmap()
    }

    /// Upright pixels that are no smaller than `size`, or than the image; not kept.
    ///
    /// Costs less than ``bitmap()`` where the codec can decode at a reduced size. A vector picture is drawn at exactly
    /// `size`, even a larger one than its own.
    package func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        if isScalable, let encoded { return try encoded.decode(atLeast: size) }
        return try store.bitmap(atLeast: size)
    }

    /// The pixels that ``bitmap()`` has decoded; nil if it hasn't.
    package var decodedBitmap: Bitmap? { store.decodedBitmap }
}

extension Image {
    /// Reads the headers of `data`; nil if it is no image, cut short or beyond the default ``DecodeLimits``.
    public convenience init?(data: Data, scale: CGFloat = 1) {
        do throws(CodecError) { try self.init(decoding: data, scale: scale) } catch { return nil }
    }

    /// Reads the file at `path`; nil if it can't be read or is no image.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }
}

extension Image {
    /// An image of nothing: its size is zero, and ``bitmap()`` throws ``CodecError/unknownFormat``.
    public convenience init() {
        self.init(
            store: PixelStore(), pixelSize: PixelSize(width: 0, height: 0), options: ImageCreatingOptions())
    }
}

extension Image: Hashable {
    /// Whether both are one object.
    ///
    /// Takes no time whatever the size: pixels are not looked at. To compare those, compare the bytes of both images'
    /// ``bitmap()``.
    public static func == (left: Image, right: Image) -> Bool { left === right }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Image: KingfisherCompatible {}

extension Image: CustomStringConvertible {
    /// `Image 600×400 @2x`.
    public var description: String {
        "Image \(pixelSize)" + (scale == 1 ? "" : " @\(scale)x")
            + (frameCount > 1 ? ", \(frameCount) frames" : "")
    }
}
