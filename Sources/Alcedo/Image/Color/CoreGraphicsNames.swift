import AlcedoRaster
public import Foundation

// Where Kingfisher's API names a type of CoreGraphics or ImageIO, one of the same name that does the same work.

/// Pixels, where Kingfisher's API names CoreGraphics' type for them.
public typealias CGImage = Bitmap

/// A source of frames, where Kingfisher's API names ImageIO's type for one.
public typealias CGImageSource = EncodedFrames

extension Bitmap {
    /// Eight.
    public var bitsPerComponent: Int { 8 }

    /// Thirty-two.
    public var bitsPerPixel: Int { 32 }

    /// A copy of a part, in pixels from the upper left corner; nil if it does not lie on the bitmap at all.
    public func cropping(to rect: CGRect) -> CGImage? {
        let part = rect.standardized.integral
            .intersection(CGRect(x: 0, y: 0, width: width, height: height))
        guard !part.isNull, !part.isEmpty else { return nil }
        return try? cropped(
            x: Int(part.minX),
            y: Int(part.minY),
            width: Int(part.width),
            height: Int(part.height)
        )
    }
}

extension Image {
    /// How stored pixels had to be turned, where UIKit's API names a type for it.
    public typealias Orientation = AlcedoPixels.Orientation

    /// An image of pixels, one to a point.
    ///
    /// Pixels whose alpha is ``Bitmap/Alpha/straight`` are refused: the program stops.
    public convenience init(cgImage: CGImage) { self.init(bitmap: cgImage) }

    /// An image of pixels that are turned as `orientation` says when they are first needed.
    ///
    /// Pixels whose alpha is ``Bitmap/Alpha/straight`` are refused: the program stops.
    public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        self.init(bitmap: cgImage, orientation: orientation, scale: scale)
    }

    /// The upright pixels, decoded now unless they have been before; nil if the image is damaged.
    public var cgImage: CGImage? { try? bitmap() }

    /// Always ``Orientation/up``: pixels have been turned already.
    public var imageOrientation: Orientation { .up }
}

/// A source of the frames in `data`; nil if it is no image, cut short or beyond the default ``DecodeLimits``.
///
/// Options are ImageIO's and are ignored.
public func CGImageSourceCreateWithData(_ data: Data, _ options: [String: Any]?) -> CGImageSource? {
    try? CGImageSource(decoding: data)
}

/// How many frames there are.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.frameCount }

/// One of the frames, at full size; options are ImageIO's and are ignored.
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource,
    _ index: Int,
    _ options: [String: Any]?
) -> CGImage? {
    source.frame(at: index)
}

/// Something to draw images on, where Kingfisher's API names CoreGraphics' type for it.
///
/// Its origin is the upper left corner. Not for several threads at a time.
public final class CGContext {
    /// Pixels from left to right.
    public let width: Int

    /// Rows.
    public let height: Int

    private var pixels: Bitmap

    /// An empty context; nil if it can't have that size.
    public init?(width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
        guard !size.isEmpty, let canvas = try? Canvas(size: size, background: clear) else { return nil }
        self.width = width
        self.height = height
        pixels = canvas.finish()
    }

    /// Draws all of an image over what is there, scaled to fill `rect`; nothing if there is no memory for it.
    public func draw(_ image: CGImage, in rect: CGRect) {
        let rect = rect.standardized
        let target = PixelRect(x: rect.minX, y: rect.minY, width: rect.width, height: rect.height)
        let isFinite = (rect.minX + rect.minY + rect.width + rect.height).isFinite
        let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
        let whole = PixelRect(x: 0, y: 0, width: Double(width), height: Double(height))
        guard isFinite, var canvas = try? Canvas(size: pixels.size, background: clear),
            (try? canvas.draw(pixels, in: whole)) != nil, (try? canvas.draw(image, in: target)) != nil
        else { return }
        pixels = canvas.finish()
    }

    /// What has been drawn so far.
    public func makeImage() -> CGImage? { pixels }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// What a context shows once the image was drawn over all of it; the image itself if that fails.
    public func decoded(on context: CGContext) -> KFCrossPlatformImage {
        guard let bitmap = try? base.bitmap() else { return base }
        context.draw(bitmap, in: CGRect(x: 0, y: 0, width: context.width, height: context.height))
        guard let drawn = context.makeImage() else { return base }
        return Image(bitmap: drawn, scale: base.scale)
    }
}
