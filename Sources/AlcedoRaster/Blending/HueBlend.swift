/// The four blend modes that are not separable, over a backdrop of one colour.
struct HueBlend: PixelMap {
    private let mode: BlendMode
    private let opacity: Float
    private let backdropAlpha: Float

    /// The backdrop, premultiplied.
    private let backdrop: HueColors

    /// The backdrop with straight alpha, its luminosity and its saturation.
    private let color: HueColors
    private let luminosity: FloatLanes
    private let saturation: FloatLanes

    init(_ mode: BlendMode, opacity: Double, backdrop: SIMD4<Double>) {
        self.mode = mode
        self.opacity = Float(opacity)
        backdropAlpha = Float(backdrop[3])
        self.backdrop = HueColors(
            blue: FloatLanes(repeating: Float(backdrop[0])),
            green: FloatLanes(repeating: Float(backdrop[1])),
            red: FloatLanes(repeating: Float(backdrop[2]))
        )
        color = backdropAlpha > 0 ? self.backdrop * FloatLanes(repeating: 1 / backdropAlpha) : self.backdrop
        luminosity = color.luminosity
        saturation = color.saturation
    }

    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let source = HueColors(
            blue: Self.unit(pixels & SIMD4(repeating: 255)),
            green: Self.unit(pixels &>> SIMD4(repeating: 8) & SIMD4(repeating: 255)),
            red: Self.unit(pixels &>> SIMD4(repeating: 16) & SIMD4(repeating: 255))
        )
        let (result, resultAlpha) = blend(source, alpha: Self.unit(pixels &>> SIMD4(repeating: 24)))
        let pair =
            Self.level(result.blue, resultAlpha)
            | Self.level(result.green, resultAlpha) &<< SIMD4(repeating: 8)
        return pair | Self.level(result.red, resultAlpha) &<< SIMD4(repeating: 16)
            | Self.level(resultAlpha, FloatLanes(repeating: 1)) &<< SIMD4(repeating: 24)
    }

    /// Premultiplied colours and their alpha.
    @inline(__always)
    private func blend(_ source: HueColors, alpha unit: FloatLanes) -> (HueColors, FloatLanes) {
        let alpha = unit * opacity
        // The colour of a transparent pixel is black, and its weight is 0.
        let straight = source * (1 / laneMaximum(unit, FloatLanes(repeating: 1e-5)))
        let result =
            source * FloatLanes(repeating: opacity * (1 - backdropAlpha)) + backdrop * (1 - alpha)
            + mixed(straight) * (alpha * backdropAlpha)
        return (result, alpha + backdropAlpha * (1 - alpha))
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

    /// Converts levels from 0…255 to 0…1.
    @inline(__always)
    private static func unit(_ levels: SIMD4<UInt32>) -> FloatLanes {
        floats(ofIntegers: levels) * (1 / 255)
    }

    /// Clamps to 0…`maximum` and rounds to the nearest level of 255.
    @inline(__always)
    private static func level(_ value: FloatLanes, _ maximum: FloatLanes) -> SIMD4<UInt32> {
        roundedIntegers(laneMinimum(laneMaximum(.zero, value), maximum) * 255)
    }
}

extension HueBlend: DeepPixelMap {
    /// Each lane has the same pixel.
    @inline(__always)
    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes {
        let source = HueColors(
            blue: FloatLanes(repeating: pixel.z), green: FloatLanes(repeating: pixel.y),
            red: FloatLanes(repeating: pixel.x))
        let (result, alpha) = blend(source, alpha: FloatLanes(repeating: pixel.w))
        return FloatLanes(result.red.x, result.green.x, result.blue.x, alpha.x)
    }
}

/// Four colours, one in each lane, with channels from 0 to 1.
private struct HueColors {
    var blue: FloatLanes
    var green: FloatLanes
    var red: FloatLanes

    // W3C's Lum, with weights of its own.
    @inline(__always)
    var luminosity: FloatLanes { 0.11 * blue + 0.59 * green + 0.3 * red }

    @inline(__always)
    var saturation: FloatLanes { maximum - minimum }

    @inline(__always)
    private var minimum: FloatLanes { laneMinimum(blue, laneMinimum(green, red)) }

    @inline(__always)
    private var maximum: FloatLanes { laneMaximum(blue, laneMaximum(green, red)) }

    /// Positive, and below any difference of two levels; avoids a division by 0.
    @inline(__always)
    private static var tiny: FloatLanes { FloatLanes(repeating: 1e-6) }

    /// W3C's SetSat.
    @inline(__always)
    func with(saturation: FloatLanes) -> HueColors {
        // For a grey all differences are 0, so the factor does not matter.
        (self - minimum) * (saturation / laneMaximum(self.saturation, Self.tiny))
    }

    /// W3C's SetLum, with its ClipColor.
    @inline(__always)
    func with(luminosity: FloatLanes) -> HueColors {
        let shifted = self + (luminosity - self.luminosity)
        // The first quotient is below 1 only if a channel is below 0, the second only if one is above 1.
        let below = luminosity - laneMinimum(shifted.minimum, .zero)
        let above = laneMaximum(shifted.maximum, FloatLanes(repeating: 1)) - luminosity
        let factor = laneMinimum(
            luminosity / laneMaximum(below, Self.tiny), (1 - luminosity) / laneMaximum(above, Self.tiny))
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
