public import Foundation

/// Mixes the image with a colour; transparent parts stay transparent.
public struct OverlayImageProcessor: ImageProcessor, PixelProcessor {
    /// Contains colour and fraction.
    public let identifier: String

    /// The colour to mix with.
    public let overlay: KFCrossPlatformColor

    /// The image's share, from 0 (only the colour) to 1 (only the image).
    public let fraction: CGFloat

    /// Makes a processor; the image's share is 0.5 by default.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor(\(overlay.rgbaText)_\(Double(fraction)))"
    }

    /// Processes an item; nil on failure.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.overlay(overlay, fraction: fraction)].compactMap(\.self)
    }
}
