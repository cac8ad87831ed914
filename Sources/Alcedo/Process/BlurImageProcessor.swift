public import Foundation

/// Blurs, nearly as a Gaussian does.
public struct BlurImageProcessor: ImageProcessor {
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
        guard let image = image(of: item, options: options) else { return nil }
        return try? image.blurred(radius: Double(blurRadius * options.scaleFactor))
    }
}
