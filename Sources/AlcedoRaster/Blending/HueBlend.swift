/// The four blend modes that need all channels of a colour at once, on a ground of one colour.
struct HueBlend: PixelMap {
    private let mode: BlendMode
    private let opacity: Float
    private let groundAlpha: Float

    /// Multiplied by its alpha.
    private let ground: HueColors

    /// The ground's colour, not multiplied, and its properties.
    private let color: HueColors
    private let luminosity: FloatLanes
    private let saturation: FloatLanes

    init(_ mode: BlendMode, opacity: Double, ground: SIMD4<Double>) {
        self.mode = mode
        self.opacity = Float(opacity)
        groundAlpha = Float(ground[3])
        self.ground = HueColors(
            blue: FloatLanes(repeating: Float(ground[0])),
            green: FloatLanes(repeating: Float(ground[1])),
            red: FloatLanes(repeating: Float(ground[2]))
        )
        color = groundAlpha > 0 ? self.ground * FloatLanes(repeating: 1 / groundAlpha) : self.ground
        luminosity = color.luminosity
        saturation = color.saturation
    }

    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let source = HueColors(
            blue: Self.part(pixels & SIMD4(repeating: 255)),
            green: Self.part(pixels &>> SIMD4(repeating: 8) & SIMD4(repeating: 255)),
            red: Self.part(pixels &>> SIMD4(repeating: 16) & SIMD4(repeating: 255))
        )
        let unit = Self.part(pixels &>> SIMD4(repeating: 24))
        let alpha = unit * opacity
        // Of a clear pixel the colour is black, and then counts for nothing.
        let straight = source * (1 / larger(unit, FloatLanes(repeating: 1e-3)))
        let result =
            source * FloatLanes(repeating: opacity * (1 - groundAlpha)) + ground * (1 - alpha)
            + mixed(straight) * (alpha * groundAlpha)
        let resultAlpha = alpha + groundAlpha * (1 - alpha)
        let pair =
            Self.level(result.blue, resultAlpha)
            | Self.level(result.green, resultAlpha) &<< SIMD4(repeating: 8)
        return pair | Self.level(result.red, resultAlpha) &<< SIMD4(repeating: 16)
            | Self.level(resultAlpha, FloatLanes(repeating: 1)) &<< SIMD4(repeating: 24)
    }

    /// W3C's B(Cb, Cs).
    @inline(__always)
    private func mixed(_ source: HueColors) -> HueColors {
        switch mode {
        case .hue: source.with(saturation: saturation).with(luminosity: luminosity)
        case .saturation: color.with(saturation: source.saturation).with(luminosity: luminosity)
        case .color: source.with(luminosity: luminosity)
        default: color.with(luminosity: source.luminosity)
        }
    }

    /// Numbers from 0 to 255 as parts of 1.
    @inline(__always)
    private static func part(_ levels: SIMD4<UInt32>) -> FloatLanes {
        floats(ofWhole: levels) * (1 / 255)
    }

    /// The nearest level of 255, no less than 0 and no more than `most`.
    @inline(__always)
    private static func level(_ value: FloatLanes, _ most: FloatLanes) -> SIMD4<UInt32> {
        wholes(smaller(larger(.zero, value), most) * 255)
    }
}

/// Four colours in numbers from 0 to 1.
private struct HueColors {
    var blue: FloatLanes
    var green: FloatLanes
    var red: FloatLanes

    @inline(__always)
    var luminosity: FloatLanes { 0.11 * blue + 0.59 * green + 0.3 * red }

    @inline(__always)
    var saturation: FloatLanes { most - least }

    @inline(__always)
    private var least: FloatLanes { smaller(blue, smaller(green, red)) }

    @inline(__always)
    private var most: FloatLanes { larger(blue, larger(green, red)) }

    /// Above 0, and so small that no difference of two levels is smaller.
    @inline(__always)
    private static var tiny: FloatLanes { FloatLanes(repeating: 1e-6) }

    /// W3C's SetSat.
    @inline(__always)
    func with(saturation: FloatLanes) -> HueColors {
        // All differences of a grey are 0, so the factor does not matter.
        (self - least) * (saturation / larger(self.saturation, Self.tiny))
    }

    /// W3C's SetLum, with its ClipColor.
    @inline(__always)
    func with(luminosity: FloatLanes) -> HueColors {
        let shifted = self + (luminosity - self.luminosity)
        // At most 1 where nothing is below 0, and likewise above 1.
        let below = luminosity - smaller(shifted.least, .zero)
        let above = larger(shifted.most, FloatLanes(repeating: 1)) - luminosity
        let factor = smaller(
            luminosity / larger(below, Self.tiny), (1 - luminosity) / larger(above, Self.tiny))
        return (shifted - luminosity) * factor + luminosity
    }

    @inline(__always)
    static func + (left: HueColors, right: HueColors) -> HueColors {
        HueColors(blue: left.blue + right.blue, green: left.green + right.green, red: left.red + right.red)
    }

    @inline(__always)
    static func + (left: HueColors, right: FloatLanes) -> HueColors {
        HueColors(blue: left.blue + right, green: left.green + right, red: left.red + right)
    }

    @inline(__always)
    static func - (left: HueColors, right: FloatLanes) -> HueColors {
        HueColors(blue: left.blue - right, green: left.green - right, red: left.red - right)
    }

    @inline(__always)
    static func * (left: HueColors, right: FloatLanes) -> HueColors {
        HueColors(blue: left.blue * right, green: left.green * right, red: left.red * right)
    }
}
