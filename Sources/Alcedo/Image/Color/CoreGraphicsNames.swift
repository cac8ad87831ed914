import AlcedoPixels
public import AlcedoRaster
public import Foundation

// Replacements for the CoreGraphics and ImageIO types in Kingfisher's API, with the same names and behaviour.

/// A bitmap; replaces CoreGraphics' type in Kingfisher's API.
public typealias CGImage = Bitmap

/// A source of frames; replaces ImageIO's type in Kingfisher's API.
public typealias CGImageSource = EncodedFrames

extension PixelRect {
    /// The same rectangle: one point is one pixel.
    public init(_ rect: CGRect) {
        self.init(x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
    }
}

extension CGRect {
    /// The same rectangle: one pixel is one point.
    public init(_ rect: PixelRect) {
        self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    }
}

extension Bitmap {
    /// 8; 16 in a deep bitmap.
    public var bitsPerComponent: Int { isDeep ? 16 : 8 }

    /// 32; 64 in a deep bitmap.
    public var bitsPerPixel: Int { isDeep ? 64 : 32 }

    /// A copy of the part inside `rect`, in pixels from the upper left corner; nil if `rect` does not intersect the
    /// bitmap.
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
    /// The orientation of stored pixels; replaces UIKit's type.
    public typealias Orientation = ImageOrientation

    /// An image of a bitmap, with one pixel per point.
    ///
    /// - Precondition: the bitmap's alpha is not ``Bitmap/Alpha/straight``.
    public convenience init(cgImage: CGImage) { self.init(bitmap: cgImage) }

    /// An image of a bitmap to which `orientation` is applied on first use.
    ///
    /// - Precondition: the bitmap's alpha is not ``Bitmap/Alpha/straight``.
    public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        self.init(bitmap: cgImage, orientation: orientation, scale: scale)
    }

    /// The upright bitmap, decoded on first use; nil if the image is damaged.
    public var cgImage: CGImage? { try? bitmap() }

    /// Always ``ImageOrientation/up``, because the bitmap is upright.
    public var imageOrientation: Orientation { .up }
}

/// A source of the frames in `data`; nil if the data is not an image, is truncated or exceeds the default
/// ``DecodeLimits``.
///
/// The options are ImageIO's and are ignored.
public func CGImageSourceCreateWithData(_ data: Data, _ options: [String: Any]?) -> CGImageSource? {
    try? CGImageSource(decoding: data)
}

public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.frameCount }

/// One frame at full size; the options are ImageIO's and are ignored.
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource,
    _ index: Int,
    _ options: [String: Any]?
) -> CGImage? {
    source.frame(at: index)
}

/// A drawing context; replaces CoreGraphics' type in Kingfisher's API.
///
/// The origin is the upper left corner. Not thread-safe.
public final class CGContext {
    public let width: Int
    public let height: Int
    private var pixels: Bitmap

    /// Creates a transparent context; nil if the size is empty or memory is insufficient.
    public init?(width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
        guard !size.isEmpty, let canvas = try? BitmapCanvas(size: size, background: clear) else { return nil }
        self.width = width
        self.height = height
        pixels = canvas.finish()
    }

    /// Draws an image, stretched to `rect`, over the present content; does nothing if memory is insufficient.
    public func draw(_ image: CGImage, in rect: CGRect) {
        if image.isDeep { ReducingSteps.report("CGContext") }
        let rect = rect.standardized
        let target = PixelRect(rect)
        let isFinite = (rect.minX + rect.minY + rect.width + rect.height).isFinite
        let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
        let whole = PixelRect(x: 0, y: 0, width: Double(width), height: Double(height))
        guard isFinite, var canvas = try? BitmapCanvas(size: pixels.size, background: clear),
            (try? canvas.draw(pixels, in: whole)) != nil, (try? canvas.draw(image, in: target)) != nil
        else { return }
        pixels = canvas.finish()
    }

    public func makeImage() -> CGImage? { pixels }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Draws the image over all of `context` and returns the context's content; the image itself if that fails.
    public func decoded(on context: CGContext) -> KFCrossPlatformImage {
        guard let bitmap = try? base.bitmap() else { return base }
        context.draw(bitmap, in: CGRect(x: 0, y: 0, width: context.width, height: context.height))
        guard let drawn = context.makeImage() else { return base }
        return Image(bitmap: drawn, scale: base.scale)
    }
}

/// A blend mode; replaces CoreGraphics' type in Kingfisher's API.
public typealias CGBlendMode = BlendMode
