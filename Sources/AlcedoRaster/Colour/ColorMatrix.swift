import Glibc

/// A colour matrix in linear light: each result is a weighted sum of all three channels and 1.
///
/// Results are clamped to 0…1. A weight that is not a number is 0; weights are clamped to ±1,000.
public struct ColorMatrix: Hashable, Sendable {
    /// The weights of red, green, blue and one in the new red.
    public var red: SIMD4<Double>

    /// The weights of red, green, blue and one in the new green.
    public var green: SIMD4<Double>

    /// The weights of red, green, blue and one in the new blue.
    public var blue: SIMD4<Double>

    /// A matrix of these rows; those that are not given change nothing.
    public init(
        red: SIMD4<Double> = SIMD4(1, 0, 0, 0),
        green: SIMD4<Double> = SIMD4(0, 1, 0, 0),
        blue: SIMD4<Double> = SIMD4(0, 0, 1, 0)
    ) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// The same with numbers that can be computed with.
    var bounded: ColorMatrix {
        func bound(_ row: SIMD4<Double>) -> SIMD4<Double> {
            let numbers = row.replacing(with: 0, where: row .!= row)
            return numbers.clamped(lowerBound: SIMD4(repeating: -1000), upperBound: SIMD4(repeating: 1000))
        }
        return ColorMatrix(red: bound(red), green: bound(green), blue: bound(blue))
    }
}

extension ColorMatrix {
    /// Inverts the light of each channel.
    public static let inverted = ColorMatrix(
        red: SIMD4(-1, 0, 0, 1), green: SIMD4(0, -1, 0, 1), blue: SIMD4(0, 0, -1, 1))

    /// The browns of old photographs: the matrix of `sepia()` in W3C's Filter Effects, 0 for no change and 1 for all.
    public static func sepia(_ amount: Double) -> ColorMatrix {
        ColorMatrix(
            red: SIMD4(0.393, 0.769, 0.189, 0),
            green: SIMD4(0.349, 0.686, 0.168, 0),
            blue: SIMD4(0.272, 0.534, 0.131, 0)
        ).mixed(amount)
    }

    /// Hues turned by an angle in radians: the matrix of `hue-rotate()` in W3C's Filter Effects.
    public static func hueRotation(_ angle: Double) -> ColorMatrix {
        let (cosine, sine) = (cos(angle), sin(angle))
        func row(_ fixed: SIMD4<Double>, _ turned: SIMD4<Double>) -> SIMD4<Double> {
            SIMD4(0.213, 0.715, 0.072, 0) + cosine * fixed + sine * turned
        }
        return ColorMatrix(
            red: row(SIMD4(0.787, -0.715, -0.072, 0), SIMD4(-0.213, -0.715, 0.928, 0)),
            green: row(SIMD4(-0.213, 0.285, -0.072, 0), SIMD4(0.143, 0.140, -0.283, 0)),
            blue: row(SIMD4(-0.213, -0.715, 0.928, 0), SIMD4(-0.787, 0.715, 0.072, 0))
        )
    }

    /// Shades of one colour, of which alpha does not count: 0 for no change and 1 for nothing else.
    ///
    /// A shade is the colour times the luma of Recommendation 709.
    public static func monochrome(_ color: RasterColor, amount: Double) -> ColorMatrix {
        let luma = SIMD4(Luma.weights.z, Luma.weights.y, Luma.weights.x, 0)
        return ColorMatrix(
            red: luma * TransferFunction.light(ofPart: color.red),
            green: luma * TransferFunction.light(ofPart: color.green),
            blue: luma * TransferFunction.light(ofPart: color.blue)
        ).mixed(amount)
    }

    /// The weights that controls come to.
    init(_ controls: ColorControls) {
        let grey = SIMD4(Luma.weights.z, Luma.weights.y, Luma.weights.x, 0) * (1 - controls.saturation)
        func row(_ channel: Int) -> SIMD4<Double> {
            var row = grey
            row[channel] += controls.saturation
            row *= controls.gain
            row.w = controls.offset
            return row
        }
        self.init(red: row(0), green: row(1), blue: row(2))
    }

    /// A mixture of this with no change: all of this for 1.
    private func mixed(_ amount: Double) -> ColorMatrix {
        let same = ColorMatrix()
        func mix(_ row: SIMD4<Double>, _ other: SIMD4<Double>) -> SIMD4<Double> {
            row * amount + other * (1 - amount)
        }
        return ColorMatrix(
            red: mix(red, same.red), green: mix(green, same.green), blue: mix(blue, same.blue))
    }
}
