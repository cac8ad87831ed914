/// The four blend modes that need all channels of a colour at once, on a ground of one colour.
struct HueBlend {
    private let mode: BlendMode
    private let opacity: Float

    /// Multiplied by its alpha, which is last.
    private let ground: SIMD4<Float>

    /// Not multiplied.
    private let color: SIMD4<Float>

    init(_ mode: BlendMode, opacity: Double, ground: SIMD4<Double>) {
        self.mode = mode
        self.opacity = Float(opacity)
        self.ground = SIMD4<Float>(ground)
        color = ground[3] == 0 ? .zero : SIMD4<Float>(ground / ground[3])
    }

    func callAsFunction(_ pixel: UInt32) -> UInt32 {
        let bytes = SIMD4(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24)
        let unit = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bytes)) / 255
        let source = unit * opacity
        let alpha = source[3]
        var result = source * (1 - ground[3]) + ground * (1 - alpha)
        if alpha > 0, ground[3] > 0 {
            result += alpha * ground[3] * mixed(unit / unit[3])
        }
        result[3] = alpha + ground[3] * (1 - alpha)
        let most = SIMD4(repeating: result[3])
        let limited = result.clamped(lowerBound: .zero, upperBound: most) * 255 + 0.5
        return UInt32(limited[0]) | UInt32(limited[1]) << 8 | UInt32(limited[2]) << 16 | UInt32(limited[3])
            << 24
    }

    /// W3C's B(Cb, Cs); the last lane is of no use.
    private func mixed(_ source: SIMD4<Float>) -> SIMD4<Float> {
        switch mode {
        case .hue: withLuminosity(luminosity(color), withSaturation(saturation(color), source))
        case .saturation: withLuminosity(luminosity(color), withSaturation(saturation(source), color))
        case .color: withLuminosity(luminosity(color), source)
        default: withLuminosity(luminosity(source), color)
        }
    }

    private func luminosity(_ color: SIMD4<Float>) -> Float {
        0.11 * color[0] + 0.59 * color[1] + 0.3 * color[2]
    }

    private func least(_ color: SIMD4<Float>) -> Float { min(color[0], min(color[1], color[2])) }

    private func most(_ color: SIMD4<Float>) -> Float { max(color[0], max(color[1], color[2])) }

    private func saturation(_ color: SIMD4<Float>) -> Float { most(color) - least(color) }

    private func withSaturation(_ saturation: Float, _ color: SIMD4<Float>) -> SIMD4<Float> {
        let least = least(color)
        let range = most(color) - least
        return range > 0 ? (color - least) * (saturation / range) : .zero
    }

    private func withLuminosity(_ luminosity: Float, _ color: SIMD4<Float>) -> SIMD4<Float> {
        var shifted = color + (luminosity - self.luminosity(color))
        let least = least(shifted)
        let most = most(shifted)
        if least < 0 { shifted = luminosity + (shifted - luminosity) * (luminosity / (luminosity - least)) }
        if most > 1 {
            shifted = luminosity + (shifted - luminosity) * ((1 - luminosity) / (most - luminosity))
        }
        return shifted
    }
}
