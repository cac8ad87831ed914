import AlcedoRaster
public import Foundation

/// Adjusts saturation, brightness, contrast and exposure, in this order.
///
/// All four work in linear light, as in CoreImage, and the result is clamped once; see
/// ``ColorControls``.
public struct ColorControlsProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The offset for each channel, whose range is 0…1; 0 has no effect.
    public let brightness: CGFloat

    /// The factor for the distance from one half; 1 has no effect.
    public let contrast: CGFloat

    /// The saturation: 0 is greyscale, 1 has no effect, larger values saturate.
    public let saturation: CGFloat

    /// The exposure in stops, each of which doubles the light; 0 has no effect.
    public let inputEV: CGFloat

    /// Creates a processor; NaN has no effect.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        let parts = [brightness, contrast, saturation, inputEV].map { "\(Double($0))" }
        identifier = "com.onevcat.Kingfisher.ColorControlsProcessor(\(parts.joined(separator: "_")))"
    }

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
