public import AlcedoPixels
import AlcedoRaster
public import Foundation

/// The function of a ``Filter``; returns nil on failure.
public typealias Transformer = Filter.Transformer

/// A custom change of pixels.
///
/// To edit single pixels in place, call `edited` in the transformer:
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
/// Bitmaps also have `resized`, `cropped`, `blurred`, `adjusted`, `blended` and other methods.
public struct Filter: Sendable {
    /// Maps an upright, premultiplied bitmap to another; returns nil on failure.
    ///
    /// The alpha of the result must not be `straight`.
    public typealias Transformer = @Sendable (Bitmap) -> Bitmap?

    public let transform: Transformer

    /// Brightness, contrast, saturation and exposure, as in ``ColorControlsProcessor``.
    public typealias ColorElement = (CGFloat, CGFloat, CGFloat, CGFloat)

    /// A filter that draws a colour over the image, as ``TintImageProcessor`` does.
    public static let tint: @Sendable (KFCrossPlatformColor) -> Filter = { color in
        Filter { try? $0.tinted(with: RasterColor(color)) }
    }

    /// A filter that adjusts brightness, contrast, saturation and exposure, as ``ColorControlsProcessor`` does.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        let controls = ColorControls(
            brightness: Double(element.0), contrast: Double(element.1), saturation: Double(element.2),
            exposure: Double(element.3))
        return Filter { try? $0.adjusted(controls) }
    }

    /// Creates a filter; `transform` may be called on any thread, also concurrently.
    public init(transform: @escaping Transformer) {
        self.transform = transform
    }
}

/// A processor that applies a ``Filter``; a conforming type provides only `identifier` and `filter`.
public protocol CIImageProcessor: ImageProcessor {
    var filter: Filter { get }
}

extension CIImageProcessor {
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        image(of: item, options: options)?.kf.apply(filter)
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Applies a filter; returns the image unchanged if the filter fails.
    public func apply(_ filter: Filter) -> KFCrossPlatformImage {
        (try? base.changed(by: .filter(filter))) ?? base
    }
}
