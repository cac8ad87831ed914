import AlcedoRaster
public import Foundation

/// Changes saturation, brightness, contrast and exposure, in this order.
///
/// All four count in linear light, as in CoreImage, and are clamped only at the end; see
/// ``AlcedoRaster/ColorControls``.
public struct ColorControlsProcessor: ImageProcessor, PixelProcessor {
    /// Names the four numbers.
    public let identifier: String

    /// What is added to each channel, of the range 0…1; 0 changes nothing.
    public let brightness: CGFloat

    /// By what the distance from one half is multiplied; 1 changes nothing.
    public let contrast: CGFloat

    /// From 0 (grey) over 1 (no change) to exaggeration.
    public let saturation: CGFloat

    /// Stops of exposure, each of which doubles the light; 0 changes nothing.
    public let inputEV: CGFloat

    /// Makes a processor; a number that is not one counts as no change.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        let parts = [brightness, contrast, saturation, inputEV].map { "\(Double($0))" }
        identifier = "com.onevcat.Kingfisher.ColorControlsProcessor(\(parts.joined(separator: "_")))"
    }

    /// The adjusted image.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let controls = ColorControls(
            brightness: Double(brightness),
            contrast: Double(contrast),
            saturation: Double(saturation),
            exposure: Double(inputEV)
        )
        return [.adjust(controls)].compactMap(\.self)
    }
}
