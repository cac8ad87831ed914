import AlcedoCodecs
public import Foundation

/// An image where Kingfisher's API names the platform's image type.
public typealias KFCrossPlatformImage = Image

/// An immutable image: bytes that decode on first use, or pixels.
///
/// Made from data it reads the headers at once and decodes only when pixels are asked for; `kf.decoded` does that
/// ahead of time. Copies at other scales share bytes and pixels, whichever of them decodes first. Safe on every thread.
public final class Image: Sendable {
    /// Pixels per point; 1 by default.
    public let scale: CGFloat

    /// Width and height in pixels, upright.
    public let pixelSize: PixelSize

    private let store: PixelStore

    /// Reads the headers of `data`, in any format of ``AlcedoCodecs/CodecRegistry``.
    ///
    /// - Parameters:
    ///   - data: the encoded image, whole.
    ///   - scale: pixels per point.
    ///   - limits: what decoding may spend, now and later.
    /// - Throws: ``CodecError`` if the data is not an image, is cut short or exceeds a limit. Damage that headers
    ///   don't show is found by ``bitmap()``.
    public init(decoding data: Data, scale: CGFloat = 1, limits: DecodeLimits = DecodeLimits())
        throws(CodecError)
    {
        let encoded = try EncodedImage(data, limits: limits)
        self.scale = scale
        pixelSize = encoded.info.uprightSize
        store = PixelStore(encoded)
    }

    /// An image of decoded pixels.
    ///
    /// - Parameters:
    ///   - bitmap: upright pixels; their alpha must not be ``Bitmap/Alpha/straight``.
    ///   - scale: pixels per point.
    public init(bitmap: Bitmap, scale: CGFloat = 1) {
        precondition(bitmap.alpha != .straight, "an Image is premultiplied")
        self.scale = scale
        pixelSize = bitmap.size
        store = PixelStore(bitmap)
    }

    /// The same picture at another scale; pixels and bytes are shared.
    init(_ image: Image, scale: CGFloat) {
        self.scale = scale
        pixelSize = image.pixelSize
        store = image.store
    }

    /// Width and height in points.
    public var size: CGSize {
        CGSize(width: CGFloat(pixelSize.width) / scale, height: CGFloat(pixelSize.height) / scale)
    }

    /// The bytes that the image was made from and that still describe it exactly; nil once pixels were changed.
    var encoded: EncodedImage? { store.encoded }

    /// What the headers of its bytes say; nil for an image of changed or drawn pixels.
    public var info: ImageInfo? { encoded?.info }

    /// Frames; 1 for a still image.
    public var frameCount: Int { encoded?.info.frameCount ?? 1 }

    /// The upright pixels, of the first frame if there are several; decoded on first use and then kept.
    ///
    /// - Throws: ``CodecError`` if the bytes turn out to be damaged.
    public func bitmap() throws(CodecError) -> Bitmap {
        try store.bitmap()
    }

    /// Upright pixels that are no smaller than `size`, or than the image; not kept.
    ///
    /// Costs less than ``bitmap()`` where the codec can decode at a reduced size.
    package func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        try store.bitmap(atLeast: size)
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

extension Image: KingfisherCompatible {}

extension Image: CustomStringConvertible {
    /// `Image 600×400 @2x`.
    public var description: String {
        "Image \(pixelSize)" + (scale == 1 ? "" : " @\(scale)x")
            + (frameCount > 1 ? ", \(frameCount) frames" : "")
    }
}
