public import Foundation

/// Blurs, nearly as a Gaussian does.
public struct BlurImageProcessor: ImageProcessor, PixelProcessor {
    /// Names the radius.
    public let identifier: String

    /// The standard deviation, in points.
    public let blurRadius: CGFloat

    /// Makes a processor; a radius of 0 or less, or that is not a number, leaves images as they are.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier = "com.onevcat.Kingfisher.BlurImageProcessor(\(Double(blurRadius)))"
    }

    /// The blurred image; the radius is multiplied by the option `scaleFactor`.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.blur(radius: Double(blurRadius * options.scaleFactor))].compactMap(\.self)
    }
}
