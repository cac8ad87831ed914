public import Foundation

/// Mixes the image with a colour; transparent parts stay transparent.
public struct OverlayImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String
    public let overlay: KFCrossPlatformColor

    /// The image's share, from 0 (only the colour) to 1 (only the image).
    public let fraction: CGFloat

    /// Creates a processor; the image's share is 0.5 by default.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor(\(overlay.rgbaText)_\(Double(fraction)))"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.overlay(overlay, fraction: fraction)].compactMap(\.self)
    }
}
