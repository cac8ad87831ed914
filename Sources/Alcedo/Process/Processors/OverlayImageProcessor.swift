public import Foundation

/// Mixes with a colour, inside the image's own shape.
public struct OverlayImageProcessor: ImageProcessor, PixelProcessor {
    /// Names colour and fraction.
    public let identifier: String

    /// The colour to mix with.
    public let overlay: KFCrossPlatformColor

    /// How much of the image is seen, from 0 (the solid colour) to 1 (the untouched image).
    public let fraction: CGFloat

    /// Makes a processor; by default half of the image is seen.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier =
            "com.onevcat.Kingfisher.OverlayImageProcessor(\(overlay.rgbaText)_\(Double(fraction)))"
    }

    /// The image mixed with the colour.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.overlay(overlay, fraction: fraction)].compactMap(\.self)
    }
}
