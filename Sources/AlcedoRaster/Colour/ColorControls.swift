import Glibc

/// Changes of saturation, brightness, contrast and exposure, made in this order.
///
/// All are made in linear light, as sRGB's transfer function defines it, without clamping in between: the result is
/// clamped to 0…1 and encoded as sRGB again. A value that is not a number counts as its default, one beyond ±1,000,
/// or ±16 stops, as that.
public struct ColorControls: Hashable, Sendable {
    /// The offset of each channel of the range 0…1; 0 by default.
    public var brightness: Double

    /// The factor of the distance from one half; 1 by default.
    public var contrast: Double

    /// From 0 (grey) over 1 (the colour itself) to exaggeration; 1 by default.
    ///
    /// The grey is the luma of Rec. 709.
    public var saturation: Double

    /// Stops of exposure: each doubles the light; 0 by default.
    public var exposure: Double

    /// Creates controls; the defaults change nothing.
    public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1, exposure: Double = 0) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.exposure = exposure
    }

    /// Colour without colour, a little lighter.
    public static let blackAndWhite = ColorControls(saturation: 0, exposure: 0.7)

    /// The same with numbers that can be computed with.
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

    /// The offset of the linear channels after the factor.
    var offset: Double { (brightness * contrast - contrast / 2 + 0.5) * factor }

    private var factor: Double { exp2(exposure) }
}
