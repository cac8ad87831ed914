import AlcedoRaster

/// Compositing as the W3C's recommendation words it, one pixel at a time, in straight colours.
struct ReferenceBlending {
    /// Red, green, blue, from 0 to 1, not multiplied.
    typealias Color = SIMD3<Double>

    let mode: BlendMode

    /// The result, multiplied by its alpha, and that alpha.
    func composite(_ cs: Color, _ sa: Double, on cb: Color, _ ba: Double) -> (Color, Double) {
        if let (fa, fb) = fractions(sa, ba) {
            return (cs * (sa * fa) + cb * (ba * fb), sa * fa + ba * fb)
        }
        let one = Color(repeating: 1)
        switch mode {
        case .plusLighter:
            return ((cs * sa + cb * ba).clamped(lowerBound: .zero, upperBound: one), min(1, sa + ba))
        case .plusDarker:
            let alpha = min(1, sa + ba)
            let missing = (one - cs) * sa + (one - cb) * ba
            return ((alpha - missing).clamped(lowerBound: .zero, upperBound: one), alpha)
        default:
            // cs = (1 - αb) x Cs + αb x B(Cb, Cs), then composited source-over.
            let mixed = cs * (1 - ba) + blend(cb, cs) * ba
            return (mixed * sa + cb * (ba * (1 - sa)), sa + ba * (1 - sa))
        }
    }

    /// Porter and Duff's Fa and Fb.
    private func fractions(_ sa: Double, _ ba: Double) -> (Double, Double)? {
        switch mode {
        case .clear: (0, 0)
        case .copy: (1, 0)
        case .normal: (1, 1 - sa)
        case .sourceIn: (ba, 0)
        case .sourceOut: (1 - ba, 0)
        case .sourceAtop: (ba, 1 - sa)
        case .destinationOver: (1 - ba, 1)
        case .destinationIn: (0, sa)
        case .destinationOut: (0, 1 - sa)
        case .destinationAtop: (1 - ba, sa)
        case .xor: (1 - ba, 1 - sa)
        default: nil
        }
    }

    private func blend(_ cb: Color, _ cs: Color) -> Color {
        switch mode {
        case .hue: setLum(setSat(cs, sat(cb)), lum(cb))
        case .saturation: setLum(setSat(cb, sat(cs)), lum(cb))
        case .color: setLum(cs, lum(cb))
        case .luminosity: setLum(cb, lum(cs))
        default: Color(blend(cb.x, cs.x), blend(cb.y, cs.y), blend(cb.z, cs.z))
        }
    }

    private func blend(_ cb: Double, _ cs: Double) -> Double {
        switch mode {
        case .multiply: return cb * cs
        case .screen: return 1 - (1 - cb) * (1 - cs)
        case .overlay: return ReferenceBlending(mode: .hardLight).blend(cs, cb)
        case .darken: return min(cb, cs)
        case .lighten: return max(cb, cs)
        case .colorDodge: return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
        case .colorBurn: return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
        case .hardLight: return cs <= 0.5 ? cb * 2 * cs : 1 - (1 - cb) * (1 - (2 * cs - 1))
        case .softLight:
            if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
            let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
            return cb + (2 * cs - 1) * (d - cb)
        case .difference: return abs(cb - cs)
        case .exclusion: return cb + cs - 2 * cb * cs
        default: fatalError("\(mode) is no separable blend mode")
        }
    }

    private func lum(_ c: Color) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
    private func sat(_ c: Color) -> Double { c.max() - c.min() }

    private func setLum(_ c: Color, _ l: Double) -> Color {
        var c = c + (l - lum(c))
        let (l, n, x) = (lum(c), c.min(), c.max())
        if n < 0 { c = l + (c - l) * (l / (l - n)) }
        if x > 1 { c = l + (c - l) * ((1 - l) / (x - l)) }
        return c
    }

    private func setSat(_ c: Color, _ s: Double) -> Color {
        let order = [0, 1, 2].sorted { c[$0] < c[$1] }
        var result = Color.zero
        if c[order[2]] > c[order[0]] {
            result[order[1]] = (c[order[1]] - c[order[0]]) * s / (c[order[2]] - c[order[0]])
            result[order[2]] = s
        }
        return result
    }
}
