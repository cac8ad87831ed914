import Glibc

/// Adjustments of saturation, brightness, contrast and exposure, applied in this order.
///
/// All work in linear light, as sRGB's transfer function defines it, without clamping in between; the result is clamped
/// to 0…1 and encoded as sRGB again. NaN counts as the default; values are clamped to ±1,000, exposure to ±16 stops.
public struct ColorControls: Hashable, Sendable {
    /// Added to each channel, in the range 0…1; 0 by default.
    public var brightness: Double

    /// Factor of the distance from 0.5; 1 by default.
    public var contrast: Double

    /// 0 for grey, 1 for no change, more for stronger colours; 1 by default.
    ///
    /// The grey is the luma of Rec. 709.
    public var saturation: Double

    /// Stops of exposure: each doubles the light; 0 by default.
    public var exposure: Double

    public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1, exposure: Double = 0) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.exposure = exposure
    }

    /// Grey, and 0.7 stops brighter.
    public static let blackAndWhite = ColorControls(saturation: 0, exposure: 0.7)

    /// The controls with NaN replaced and values clamped.
    var bounded: ColorControls {
        func bound(_ value: Double, _ limit: Double, default neutral: Double) -> Double {
            value.isNaN ? neutral : max(-limit, min(value, limit))
        }
        return ColorControls(
            brightness: bound(brightness, 1000, default: 0),
            contrast: bound(contrast, 1000, default: 1),
            saturation: bound(saturation, 1000, default: 1),
            exposure: bound(exposure, 16, default: 0)
        )
    }

    /// The factor of the linear channels after saturation.
    var gain: Double { contrast * factor }

    /// Added to the linear channels after ``gain``.
    var offset: Double { (brightness * contrast - contrast / 2 + 0.5) * factor }

    private var factor: Double { exp2(exposure) }
}
