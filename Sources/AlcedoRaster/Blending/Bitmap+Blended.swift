public import AlcedoPixels

extension Bitmap {
    /// Blends the bitmap over a backdrop of one colour, or over transparency if `background` is nil.
    ///
    /// Works on sRGB-encoded values, as W3C's Compositing and Blending defines it, and rounds once, at the end. The
    /// bitmap's alpha is multiplied by `opacity`, which is clamped to 0…1; NaN counts as 0.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func blended(
        _ mode: BlendMode,
        opacity: Double = 1,
        over background: RasterColor? = nil
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be blended")
        let opacity = opacity > 0 ? min(opacity, 1) : 0
        let backdrop = background?.premultiplied ?? .zero
        let formula = BlendFormula(mode: mode)
        // Alpha is smallest at one of the two ends.
        let isOpaque = [alpha == .opaque ? opacity : 0, opacity].allSatisfy { source in
            formula.alpha(source: source, backdrop: backdrop[3]) == 1
        }
        let newAlpha: Alpha = isOpaque ? .opaque : .premultiplied
        if isDeep, let color = background.map({ deepColor($0) }) ?? .zero {
            let backdrop = SIMD4<Double>(color)
            guard mode.isSeparable else {
                // Blue, green and red.
                let hues = HueBlend(
                    mode, opacity: opacity, backdrop: SIMD4(backdrop.z, backdrop.y, backdrop.x, backdrop.w))
                return try mappedDeep(alpha: newAlpha, hues)
            }
            return try mappedDeep(
                alpha: newAlpha, DeepBlend(formula: formula, opacity: opacity, backdrop: backdrop))
        }
        guard mode.isSeparable else {
            return try mapped(alpha: newAlpha, HueBlend(mode, opacity: opacity, backdrop: backdrop))
        }
        let table = BlendTable(mode, opacity: opacity, backdrop: backdrop)
        let count = size.area
        let hasOneAlpha = alpha == .opaque
        if hasOneAlpha, let blend = LinearBlend(table.row(255)) {
            return try mapped(alpha: newAlpha, blend)
        }
        return try rewriting(alpha: newAlpha) { source, target in
            let source = source.assumingMemoryBound(to: UInt32.self)
            let target = target.assumingMemoryBound(to: UInt32.self)
            if hasOneAlpha {
                let row = table.row(255)
                for index in 0..<count { target[index] = row(source[index]) }
            } else {
                for index in 0..<count { target[index] = table.row(Int(source[index] >> 24))(source[index]) }
            }
        }
    }
}

extension BlendMode {
    /// Whether each channel of the result depends only on the same channel and on alpha.
    fileprivate var isSeparable: Bool {
        switch self {
        case .hue, .saturation, .color, .luminosity: false
        default: true
        }
    }
}

/// A separable blend of deep pixels, by its formula.
private struct DeepBlend: DeepPixelMap {
    let formula: BlendFormula
    let opacity: Double
    let backdrop: SIMD4<Double>

    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes {
        let source = SIMD4<Double>(pixel) * opacity
        func channel(_ index: Int) -> Double {
            formula.channel(
                min(source[index], source.w), alpha: source.w, backdrop: backdrop[index],
                backdropAlpha: backdrop.w)
        }
        let alpha = formula.alpha(source: source.w, backdrop: backdrop.w)
        return FloatLanes(SIMD4(channel(0), channel(1), channel(2), alpha))
    }
}
