/// The four blend modes that need all channels of a colour at once, on a ground of one colour.
struct HueBlend {
    private let mode: BlendMode
    private let opacity: Float

    /// Multiplied by its alpha.
    private let ground: HueColor
    private let groundAlpha: Float

    /// The ground's colour, not multiplied, and its properties.
    private let color: HueColor
    private let luminosity: Float
    private let saturation: Float

    init(_ mode: BlendMode, opacity: Double, ground: SIMD4<Double>) {
        self.mode = mode
        self.opacity = Float(opacity)
        self.ground = HueColor(blue: Float(ground[0]), green: Float(ground[1]), red: Float(ground[2]))
        groundAlpha = Float(ground[3])
        color = groundAlpha > 0 ? self.ground * (1 / groundAlpha) : self.ground
        luminosity = color.luminosity
        saturation = color.saturation
    }

    func callAsFunction(_ pixel: UInt32) -> UInt32 {
        let source = HueColor(
            blue: Float(Int32(truncatingIfNeeded: pixel & 255)) / 255,
            green: Float(Int32(truncatingIfNeeded: pixel >> 8 & 255)) / 255,
            red: Float(Int32(truncatingIfNeeded: pixel >> 16 & 255)) / 255
        )
        let unit = Float(Int32(truncatingIfNeeded: pixel >> 24)) / 255
        let alpha = unit * opacity
        var result = source * (opacity * (1 - groundAlpha)) + ground * (1 - alpha)
        if alpha > 0, groundAlpha > 0 {
            result = result + mixed(source * (1 / unit)) * (alpha * groundAlpha)
        }
        let resultAlpha = alpha + groundAlpha * (1 - alpha)
        let pair = level(result.blue, resultAlpha) | level(result.green, resultAlpha) << 8
        return pair | level(result.red, resultAlpha) << 16 | level(resultAlpha, 1) << 24
    }

    /// W3C's B(Cb, Cs).
    @inline(__always)
    private func mixed(_ source: HueColor) -> HueColor {
        switch mode {
        case .hue: source.with(saturation: saturation).with(luminosity: luminosity)
        case .saturation: color.with(saturation: source.saturation).with(luminosity: luminosity)
        case .color: source.with(luminosity: luminosity)
        default: color.with(luminosity: source.luminosity)
        }
    }

    @inline(__always)
    private func level(_ value: Float, _ most: Float) -> UInt32 {
        UInt32(max(0, min(value, most)) * 255 + 0.5)
    }
}

/// A colour in numbers from 0 to 1.
private struct HueColor {
    var blue: Float
    var green: Float
    var red: Float

    @inline(__always)
    var luminosity: Float { 0.11 * blue + 0.59 * green + 0.3 * red }

    @inline(__always)
    var saturation: Float { most - least }

    @inline(__always)
    private var least: Float { min(blue, min(green, red)) }

    @inline(__always)
    private var most: Float { max(blue, max(green, red)) }

    /// W3C's SetSat.
    @inline(__always)
    func with(saturation: Float) -> HueColor {
        let range = self.saturation
        return range > 0 ? (self + -least) * (saturation / range) : HueColor(blue: 0, green: 0, red: 0)
    }

    /// W3C's SetLum, with its ClipColor.
    @inline(__always)
    func with(luminosity: Float) -> HueColor {
        let shifted = self + (luminosity - self.luminosity)
        let least = shifted.least
        let most = shifted.most
        var factor: Float = 1
        if least < 0 { factor = luminosity / (luminosity - least) }
        if most > 1 { factor = min(factor, (1 - luminosity) / (most - luminosity)) }
        return (shifted + -luminosity) * factor + luminosity
    }

    @inline(__always)
    static func + (left: HueColor, right: HueColor) -> HueColor {
        HueColor(blue: left.blue + right.blue, green: left.green + right.green, red: left.red + right.red)
    }

    @inline(__always)
    static func + (left: HueColor, right: Float) -> HueColor {
        HueColor(blue: left.blue + right, green: left.green + right, red: left.red + right)
    }

    @inline(__always)
    static func * (left: HueColor, right: Float) -> HueColor {
        HueColor(blue: left.blue * right, green: left.green * right, red: left.red * right)
    }
}
