/// A blend mode in numbers from 0 to 1; exact, and so slow that results belong into tables.
struct BlendFormula {
    let mode: BlendMode

    /// Alpha of the result.
    func alpha(source: Double, ground: Double) -> Double {
        channel(source, alpha: source, ground: ground, groundAlpha: ground, isAlpha: true)
    }

    /// A channel of the result; all channels are multiplied by their alpha.
    ///
    /// Of a mode that is not separable only alpha is.
    func channel(
        _ source: Double,
        alpha: Double,
        ground: Double,
        groundAlpha: Double,
        isAlpha: Bool = false
    ) -> Double {
        switch mode {
        case .clear: 0
        case .copy: source
        case .sourceIn: source * groundAlpha
        case .sourceOut: source * (1 - groundAlpha)
        case .sourceAtop: source * groundAlpha + ground * (1 - alpha)
        case .destinationOver: source * (1 - groundAlpha) + ground
        case .destinationIn: ground * alpha
        case .destinationOut: ground * (1 - alpha)
        case .destinationAtop: source * (1 - groundAlpha) + ground * alpha
        case .xor: source * (1 - groundAlpha) + ground * (1 - alpha)
        case .plusLighter: min(1, source + ground)
        case .plusDarker: max(0, min(1, alpha + groundAlpha) - (alpha - source) - (groundAlpha - ground))
        case _ where mode == .normal || isAlpha || alpha == 0 || groundAlpha == 0:
            source + ground * (1 - alpha)
        default:
            source * (1 - groundAlpha) + ground * (1 - alpha) + alpha * groundAlpha
                * mixed(min(1, source / alpha), min(1, ground / groundAlpha))
        }
    }

    /// W3C's B(Cb, Cs) for one channel that is not multiplied.
    private func mixed(_ source: Double, _ ground: Double) -> Double {
        switch mode {
        case .multiply: source * ground
        case .screen: screened(source, ground)
        case .overlay: hardLit(ground, source)
        case .darken: min(source, ground)
        case .lighten: max(source, ground)
        case .colorDodge: ground == 0 ? 0 : source == 1 ? 1 : min(1, ground / (1 - source))
        case .colorBurn: ground == 1 ? 1 : source == 0 ? 0 : 1 - min(1, (1 - ground) / source)
        case .softLight: softLit(source, ground)
        case .hardLight: hardLit(source, ground)
        case .difference: abs(source - ground)
        case .exclusion: source + ground - 2 * source * ground
        default: source
        }
    }

    private func screened(_ source: Double, _ ground: Double) -> Double { source + ground - source * ground }

    private func hardLit(_ source: Double, _ ground: Double) -> Double {
        source <= 0.5 ? 2 * source * ground : screened(2 * source - 1, ground)
    }

    private func softLit(_ source: Double, _ ground: Double) -> Double {
        if source <= 0.5 { return ground - (1 - 2 * source) * ground * (1 - ground) }
        let curve = ground <= 0.25 ? ((16 * ground - 12) * ground + 4) * ground : ground.squareRoot()
        return ground + (2 * source - 1) * (curve - ground)
    }
}
