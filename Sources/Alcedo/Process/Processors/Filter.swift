public import AlcedoPixels
import AlcedoRaster
public import Foundation

/// Turns pixels into others, in a ``Filter``; nil if it cannot.
public typealias Transformer = Filter.Transformer

/// A change of pixels of one's own making.
///
/// To work on single pixels, let the transformer call `edited`, of which the closure gets them in place:
///
///     let inverted = Filter { bitmap in
///         try? bitmap.edited { pixels in
///             for index in pixels.indices {
///                 let alpha = pixels[index].w
///                 pixels[index] = SIMD4(repeating: alpha) &- pixels[index]
///                 pixels[index].w = alpha
///             }
///         }
///     }
///
/// Bitmaps also have `resized`, `cropped`, `blurred`, `adjusted`, `blended` and others to build on.
public struct Filter: Sendable {
    /// Turns upright, premultiplied pixels into others, of which alpha must not be `straight`; nil if it cannot.
    public typealias Transformer = @Sendable (Bitmap) -> Bitmap?

    /// What the filter does.
    public let transform: Transformer

    /// Brightness, contrast, saturation and exposure, as ``ColorControlsProcessor`` takes them.
    public typealias ColorElement = (CGFloat, CGFloat, CGFloat, CGFloat)

    /// A filter that lays a colour over the image, as ``TintImageProcessor`` does.
    public static let tint: @Sendable (KFCrossPlatformColor) -> Filter = { color in
        Filter { try? $0.tinted(with: RasterColor(color)) }
    }

    /// A filter that changes brightness, contrast, saturation and exposure, as ``ColorControlsProcessor`` does.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        let controls = ColorControls(
            brightness: Double(element.0), contrast: Double(element.1), saturation: Double(element.2),
            exposure: Double(element.3))
        return Filter { try? $0.adjusted(controls) }
    }

    /// Makes a filter; it may be called on any thread, and on several at once.
    public init(transform: @escaping Transformer) {
        self.transform = transform
    }
}

/// A processor that applies a ``Filter``: name it with `identifier`, and the rest is done.
public protocol CIImageProcessor: ImageProcessor {
    /// What the processor does.
    var filter: Filter { get }
}

extension CIImageProcessor {
    /// The image with the filter applied, or the image itself if the filter makes nothing of it.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        image(of: item, options: options)?.kf.apply(filter)
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image with a filter applied, or the image itself if the filter makes nothing of it.
    public func apply(_ filter: Filter) -> KFCrossPlatformImage {
        (try? base.changed(by: .filter(filter))) ?? base
    }
}
