import AlcedoCodecs
import AlcedoLocks
public import Foundation

/// The image type in Kingfisher's API.
public typealias KFCrossPlatformImage = Image

/// An immutable image, still or animated: encoded bytes that decode on first use, or a bitmap.
///
/// An image created from data reads the headers at once and decodes on first access to its pixels; `kf.decoded` decodes
/// ahead of time. Copies at other scales share the bytes and bitmaps. Thread-safe.
///
/// Images are upright: size and pixels have the orientation of the encoded bytes applied.
public final class Image: Sendable {
    /// Pixels per point; 1 by default.
    public let scale: CGFloat

    /// Width and height in pixels, upright.
    public let pixelSize: PixelSize

    let store: PixelStore

    /// All frames of a preloaded animation or one created from images; nil otherwise.
    let animation: ImageAnimation?

    let creatingOptions: ImageCreatingOptions

    /// The properties that Kingfisher attaches to an image; they do not affect its pixels.
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

    /// Reads the headers of `data`, in any format of ``CodecRegistry``.
    ///
    /// - Parameters:
    ///   - data: the complete encoded image.
    ///   - scale: pixels per point.
    ///   - limits: the limits of this and all later decoding.
    /// - Throws: ``CodecError`` if the data is not an image, is truncated or exceeds a limit. Damage beyond the
    ///   headers is reported by ``bitmap()``.
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

    /// An image of a bitmap.
    ///
    /// - Parameters:
    ///   - bitmap: upright pixels; the alpha must not be ``Bitmap/Alpha/straight``.
    ///   - scale: pixels per point.
    public convenience init(bitmap: Bitmap, scale: CGFloat = 1) {
        self.init(bitmap: bitmap, orientation: .up, scale: scale)
    }

    /// An image of a bitmap to which `orientation` is applied on first use.
    convenience init(bitmap: Bitmap, orientation: ImageOrientation, scale: CGFloat) {
        precondition(bitmap.alpha != .straight, "an Image needs premultiplied alpha, not straight alpha")
        self.init(
            store: PixelStore(bitmap, orientation: orientation),
            pixelSize: orientation.upright(bitmap.size),
            options: ImageCreatingOptions(scale: scale)
        )
    }

    /// The same image at another scale; shares bitmaps and bytes.
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

    /// The original encoded bytes, if they still describe the image exactly; nil for a processed image.
    var encoded: EncodedImage? { animation?.isMadeOfImages == true ? nil : store.encoded }

    /// The parsed headers of the encoded bytes; nil for a processed or drawn image.
    public var info: ImageInfo? { encoded?.info }

    /// The upright bitmap, of the first frame if there are several; decoded on first use and then kept.
    ///
    /// If the bytes are damaged, the caches of the load that brought the image drop it: the next load goes to the source.
    ///
    /// - Throws: ``CodecError`` if the bytes are damaged.
    public func bitmap() throws(CodecError) -> Bitmap {
        try store.bitmap()
    }

    /// An upright bitmap at least as large as `size` or the image, whichever is smaller; not kept.
    ///
    /// Costs less than ``bitmap()`` if the codec supports reduced decoding. A vector image is rendered at exactly
    /// `size`, even above its own size.
    package func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        if isScalable, let encoded { return try encoded.decode(atLeast: size) }
        return try store.bitmap(atLeast: size)
    }

    /// The full-size bitmap if it is decoded; else nil.
    package var decodedBitmap: Bitmap? { store.decodedBitmap }
}

extension Image {
    /// Reads the headers of `data`; nil if it is not an image, is truncated or exceeds the default ``DecodeLimits``.
    public convenience init?(data: Data, scale: CGFloat = 1) {
        do throws(CodecError) { try self.init(decoding: data, scale: scale) } catch { return nil }
    }

    /// Reads the file at `path` on the calling thread; nil if it cannot be read or is not an image.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// An empty image: its size is zero, and ``bitmap()`` throws ``CodecError/unknownFormat``.
    public convenience init() {
        self.init(
            store: PixelStore(), pixelSize: PixelSize(width: 0, height: 0), options: ImageCreatingOptions())
    }
}

extension Image: Hashable {
    /// Whether both are the same object.
    ///
    /// O(1): pixels are not compared. To compare pixels, compare the bytes of both images' ``bitmap()``.
    public static func == (left: Image, right: Image) -> Bool { left === right }

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

extension Image {
    /// Whether the image is an unprocessed vector image, which is rendered at any size without loss.
    var isScalable: Bool { info?.isScalable ?? false }

    /// The size at which the longer side is `side` pixels; larger than the present size only for a vector image.
    func fittedSize(longerSide side: Double) -> PixelSize {
        pixelSize.fitted(longerSide: side, enlarges: isScalable)
    }

    /// What the headers of its file say about the samples; nil for a vector image and one without a file.
    package var storedColors: StoredColors? {
        encoded.flatMap {
            $0.resources.codecs.colors(of: $0.data.bytes, info: $0.info, limits: $0.limits)
        }
    }

    /// The name of the embedded colour profile; nil if there is none.
    package var profileName: String? {
        guard let encoded else { return nil }
        let data = encoded.data
        guard let profile = encoded.resources.codecs.profile(of: data.bytes, limits: encoded.limits)
        else { return nil }
        return ICCProfile.description(of: profile) ?? "unnamed"
    }
}
