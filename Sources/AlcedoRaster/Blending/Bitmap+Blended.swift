public import AlcedoPixels

extension Bitmap {
    /// The picture blended over one colour, or over transparency, in a blend mode.
    ///
    /// Works on sRGB-encoded values, as W3C's Compositing and Blending defines it, and rounds once, at the end. `opacity`
    /// is multiplied to the picture's own alpha; it is clamped to 0…1, and one that is not a number is 0.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public consuming func blended(
        _ mode: BlendMode,
        opacity: Double = 1,
        over background: RasterColor? = nil
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be blended")
        let opacity = opacity > 0 ? min(opacity, 1) : 0
        let ground = background?.premultiplied ?? .zero
        let formula = BlendFormula(mode: mode)
        // In between, alpha is no smaller than at both ends.
        let isOpaque = [alpha == .opaque ? opacity : 0, opacity].allSatisfy { source in
            formula.alpha(source: source, ground: ground[3]) == 1
        }
        let newAlpha: Alpha = isOpaque ? .opaque : .premultiplied
        guard mode.isSeparable else {
            return try mapped(alpha: newAlpha, HueBlend(mode, opacity: opacity, ground: ground))
        }
        let count = size.area
        let hasOneAlpha = alpha == .opaque
        return try rewriting(alpha: newAlpha) { source, target in
            let source = source.assumingMemoryBound(to: UInt32.self)
            let target = target.assumingMemoryBound(to: UInt32.self)
            let table = BlendTable(mode, opacity: opacity, ground: ground)
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
    /// Whether each channel of the result depends on the same channel and on alpha alone.
    fileprivate var isSeparable: Bool {
        switch self {
        case .hue, .saturation, .color, .luminosity: false
        default: true
        }
    }
}
