/// An sRGB colour with straight alpha; all components from 0 to 1.
public struct RasterColor: Hashable, Sendable {
    /// Red, sRGB-encoded.
    public var red: Double

    /// Green, sRGB-encoded.
    public var green: Double

    /// Blue, sRGB-encoded.
    public var blue: Double

    /// 0 for transparent, 1 for opaque.
    public var alpha: Double

    /// Creates a colour; components are clamped to 0…1 when drawn.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Whether alpha rounds to 255.
    var isOpaque: Bool { pixel[3] == 255 }

    /// Blue, green, red, alpha, premultiplied, as in a bitmap.
    var pixel: SIMD4<UInt8> { SIMD4(premultiplied * 255, rounding: .toNearestOrAwayFromZero) }

    /// Blue, green, red, alpha, premultiplied, from 0 to 1.
    var premultiplied: SIMD4<Double> {
        let opacity = Self.clamped(alpha)
        return SIMD4(
            Self.clamped(blue) * opacity,
            Self.clamped(green) * opacity,
            Self.clamped(red) * opacity,
            opacity
        )
    }

    /// Red, green and blue from 0 to 1.
    var components: SIMD3<Double> {
        SIMD3(Self.clamped(red), Self.clamped(green), Self.clamped(blue))
    }

    private static func clamped(_ part: Double) -> Double { part > 0 ? min(part, 1) : 0 }
}
