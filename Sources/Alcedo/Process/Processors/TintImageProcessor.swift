import Foundation

/// Lays a colour over the whole image, transparent parts too.
public struct TintImageProcessor: ImageProcessor, PixelProcessor {
    /// Names the colour.
    public let identifier: String

    /// The colour, which should be translucent: an opaque one leaves nothing else to be seen.
    public let tint: KFCrossPlatformColor

    /// Makes a processor.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = "com.onevcat.Kingfisher.TintImageProcessor(\(tint.rgbaText))"
    }

    /// The tinted image.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.tint(tint)]
    }
}
