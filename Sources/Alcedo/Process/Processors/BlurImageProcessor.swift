public import Foundation

/// Applies an approximate Gaussian blur.
public struct BlurImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The standard deviation, in points.
    public let blurRadius: CGFloat

    /// Creates a processor; a radius of 0 or less, or NaN, has no effect.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier = "com.onevcat.Kingfisher.BlurImageProcessor(\(Double(blurRadius)))"
    }

    /// Processes an item; nil on failure.
    ///
    /// The radius is multiplied by the option `scaleFactor`.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.blur(radius: Double(blurRadius * options.scaleFactor))].compactMap(\.self)
    }
}
