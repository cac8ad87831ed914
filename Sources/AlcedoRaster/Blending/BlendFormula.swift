/// A blend mode's exact formula on values from 0 to 1; slow, so callers tabulate the results.
struct BlendFormula {
    let mode: BlendMode

    /// Alpha of the result.
    func alpha(source: Double, backdrop: Double) -> Double {
        channel(source, alpha: source, backdrop: backdrop, backdropAlpha: backdrop, isAlpha: true)
    }

    /// A channel of the result; all channels are premultiplied.
    ///
    /// For a mode that is not separable, only the alpha channel is valid.
    func channel(
        _ source: Double,
        alpha: Double,
        backdrop: Double,
        backdropAlpha: Double,
        isAlpha: Bool = false
    ) -> Double {
        switch mode {
        case .clear: 0
        case .copy: source
        case .sourceIn: source * backdropAlpha
        case .sourceOut: source * (1 - backdropAlpha)
        case .sourceAtop: source * backdropAlpha + backdrop * (1 - alpha)
        case .destinationOver: source * (1 - backdropAlpha) + backdrop
        case .destinationIn: backdrop * alpha
        case .destinationOut: backdrop * (1 - alpha)
        case .destinationAtop: source * (1 - backdropAlpha) + backdrop * alpha
        case .xor: source * (1 - backdropAlpha) + backdrop * (1 - alpha)
        case .plusLighter: min(1, source + backdrop)
        case .plusDarker:
            max(0, min(1, alpha + backdropAlpha) - (alpha - source) - (backdropAlpha - backdrop))
        case _ where mode == .normal || isAlpha || alpha == 0 || backdropAlpha == 0:
            source + backdrop * (1 - alpha)
        default:
            source * (1 - backdropAlpha) + backdrop * (1 - alpha) + alpha * backdropAlpha
                * mixed(min(1, source / alpha), min(1, backdrop / backdropAlpha))
        }
    }

    /// W3C's B(Cb, Cs) for one channel with straight alpha.
    private func mixed(_ source: Double, _ backdrop: Double) -> Double {
        switch mode {
        case .multiply: source * backdrop
        case .screen: screened(source, backdrop)
        case .overlay: hardLit(backdrop, source)
        case .darken: min(source, backdrop)
        case .lighten: max(source, backdrop)
        case .colorDodge: backdrop == 0 ? 0 : source == 1 ? 1 : min(1, backdrop / (1 - source))
        case .colorBurn: backdrop == 1 ? 1 : source == 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
        case .softLight: softLit(source, backdrop)
        case .hardLight: hardLit(source, backdrop)
        case .difference: abs(source - backdrop)
        case .exclusion: source + backdrop - 2 * source * backdrop
        default: source
        }
    }

    private func screened(_ source: Double, _ backdrop: Double) -> Double {
        source + backdrop - source * backdrop
    }

    private func hardLit(_ source: Double, _ backdrop: Double) -> Double {
        source <= 0.5 ? 2 * source * backdrop : screened(2 * source - 1, backdrop)
    }

    private func softLit(_ source: Double, _ backdrop: Double) -> Double {
        if source <= 0.5 { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let curve =
            backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (curve - backdrop)
    }
}
