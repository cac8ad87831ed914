import Foundation

/// Draws a colour over the whole image, including transparent parts.
public struct TintImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The colour; it should be translucent, because an opaque colour hides the image.
    public let tint: KFCrossPlatformColor

    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = "com.onevcat.Kingfisher.TintImageProcessor(\(tint.rgbaText))"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.tint(tint)]
    }
}
