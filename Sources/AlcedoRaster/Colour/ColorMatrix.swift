import Glibc

/// A 3 × 4 matrix of linear light: each output channel is a weighted sum of red, green, blue and 1.
///
/// Results are clamped to 0…1. A weight of NaN counts as 0; weights are clamped to ±1,000.
public struct ColorMatrix: Hashable, Sendable {
    /// The weights of red, green, blue and 1 in the output's red.
    public var red: SIMD4<Double>

    /// The weights of red, green, blue and 1 in the output's green.
    public var green: SIMD4<Double>

    /// The weights of red, green, blue and 1 in the output's blue.
    public var blue: SIMD4<Double>

    /// Creates a matrix of rows; the defaults are those of the identity.
    public init(
        red: SIMD4<Double> = SIMD4(1, 0, 0, 0),
        green: SIMD4<Double> = SIMD4(0, 1, 0, 0),
        blue: SIMD4<Double> = SIMD4(0, 0, 1, 0)
    ) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// The matrix with NaN replaced and weights clamped.
    var bounded: ColorMatrix {
        func bound(_ row: SIMD4<Double>) -> SIMD4<Double> {
            let numbers = row.replacing(with: 0, where: row .!= row)
            return numbers.clamped(lowerBound: SIMD4(repeating: -1000), upperBound: SIMD4(repeating: 1000))
        }
        return ColorMatrix(red: bound(red), green: bound(green), blue: bound(blue))
    }
}

extension ColorMatrix {
    public static let inverted = ColorMatrix(
        red: SIMD4(-1, 0, 0, 1), green: SIMD4(0, -1, 0, 1), blue: SIMD4(0, 0, -1, 1))

    /// Sepia: the matrix of `sepia()` in W3C's Filter Effects; 0 is no change, 1 the full effect.
    public static func sepia(_ amount: Double) -> ColorMatrix {
        ColorMatrix(
            red: SIMD4(0.393, 0.769, 0.189, 0),
            green: SIMD4(0.349, 0.686, 0.168, 0),
            blue: SIMD4(0.272, 0.534, 0.131, 0)
        ).mixed(amount)
    }

    /// Rotates hues by an angle in radians: the matrix of `hue-rotate()` in W3C's Filter Effects.
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

    /// Shades of one colour, whose alpha is ignored; 0 is no change, 1 the full effect.
    ///
    /// A shade is the colour times the luma of Rec. 709.
    public static func monochrome(_ color: RasterColor, amount: Double) -> ColorMatrix {
        let luma = SIMD4(Luma.weights.z, Luma.weights.y, Luma.weights.x, 0)
        return ColorMatrix(
            red: luma * TransferFunction.light(ofPart: color.red),
            green: luma * TransferFunction.light(ofPart: color.green),
            blue: luma * TransferFunction.light(ofPart: color.blue)
        ).mixed(amount)
    }

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

    /// Interpolates between the identity, for 0, and this matrix, for 1.
    private func mixed(_ amount: Double) -> ColorMatrix {
        let same = ColorMatrix()
        func mix(_ row: SIMD4<Double>, _ other: SIMD4<Double>) -> SIMD4<Double> {
            row * amount + other * (1 - amount)
        }
        return ColorMatrix(
            red: mix(red, same.red), green: mix(green, same.green), blue: mix(blue, same.blue))
    }
}
