public import AlcedoPixels

extension Bitmap {
    /// Mixes the bitmap with a colour inside its own alpha: colour × (1 − `fraction`) + bitmap × `fraction`.
    ///
    /// Works on premultiplied sRGB-encoded values, so a translucent colour makes a translucent result. Each channel is
    /// within 0.51 levels of the exact value. Returns `self` if `fraction` is 1 or more; a negative `fraction` or NaN
    /// counts as 0.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func overlaid(with color: RasterColor, fraction: Double) throws(CodecError) -> Bitmap {
        if fraction >= 1 { return self }
        let isOpaque = alpha == .opaque && color.isOpaque
        if let color = deepColor(color) {
            let kept = Float(fraction > 0 ? fraction : 0)
            return try mappedDeep(
                alpha: isOpaque ? .opaque : .premultiplied,
                DeepMix(kept: kept, color: color, added: 0, addedByAlpha: 1 - kept))
        }
        return try mapped(
            alpha: isOpaque ? .opaque : .premultiplied,
            Overlay(color, fraction: fraction > 0 ? fraction : 0)
        )
    }

    /// Composites a colour over the whole bitmap, transparent pixels included.
    ///
    /// Source-over on premultiplied sRGB-encoded values, rounded to the nearest. Returns `self` if the colour is
    /// transparent.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func tinted(with color: RasterColor) throws(CodecError) -> Bitmap {
        if color.pixel[3] == 0 { return self }
        let isOpaque = alpha == .opaque || color.isOpaque
        if let color = deepColor(color) {
            return try mappedDeep(
                alpha: isOpaque ? .opaque : .premultiplied,
                DeepMix(kept: 1 - color.w, color: color, added: 1, addedByAlpha: 0))
        }
        return try mapped(alpha: isOpaque ? .opaque : .premultiplied, Tint(color))
    }
}

/// Mixes pixels with a colour inside their own alpha.
private struct Overlay: PixelMap {
    /// The weight of the pixels.
    private let kept: Factors

    /// The weights of a pixel's alpha in each channel.
    private let blueAndRed: Factors
    private let greenAndAlpha: Factors

    init(_ color: RasterColor, fraction: Double) {
        kept = Factors(fraction, fraction)
        let parts = color.premultiplied * (1 - fraction)
        blueAndRed = Factors(parts[0], parts[2])
        greenAndAlpha = Factors(parts[1], parts[3])
    }

    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let lowerBytes = SIMD4<UInt32>(repeating: 0x00FF_00FF)
        let alpha = pixels &>> SIMD4(repeating: 24)
        let twice = halves(alpha | alpha &<< SIMD4(repeating: 16))
        let even = mix(halves(pixels & lowerBytes), twice, blueAndRed)
        let odd = mix(halves(pixels &>> SIMD4(repeating: 8) & lowerBytes), twice, greenAndAlpha)
        return words(even) | words(odd) &<< SIMD4(repeating: 8)
    }

    @inline(__always)
    private func mix(_ channels: SIMD8<UInt16>, _ alpha: SIMD8<UInt16>, _ added: Factors) -> SIMD8<UInt16> {
        // 128 for rounding, and the mean truncation error of the two products.
        (kept.times256(channels) &+ added.times256(alpha) &+ SIMD8(repeating: 129)) &>> SIMD8(repeating: 8)
    }
}

/// 16-bit fixed-point factors for the even and odd channels of four pixels.
private struct Factors {
    /// The factors' upper and lower bytes, so that products with a byte fit 16 bits.
    private let upper: SIMD8<UInt16>
    private let lower: SIMD8<UInt16>

    /// Converts factors from 0 to 1; 1 becomes 65,535/65,536.
    init(_ even: Double, _ odd: Double) {
        func whole(_ part: Double) -> UInt16 { UInt16(min(65_535, (part * 65_536).rounded())) }
        let two = SIMD2(whole(even), whole(odd))
        let four = SIMD4(lowHalf: two, highHalf: two)
        upper = SIMD8(lowHalf: four, highHalf: four) &>> SIMD8(repeating: 8)
        lower = SIMD8(lowHalf: four, highHalf: four) & SIMD8(repeating: 255)
    }

    /// The products with bytes, scaled by 256 and rounded down.
    @inline(__always)
    func times256(_ bytes: SIMD8<UInt16>) -> SIMD8<UInt16> {
        bytes &* upper &+ (bytes &* lower) &>> SIMD8(repeating: 8)
    }
}

/// Composites a colour over pixels.
private struct Tint: PixelMap {
    private let inverseAlpha: SIMD8<UInt16>
    private let color: SIMD4<UInt32>

    init(_ color: RasterColor) {
        let pixel = color.pixel
        inverseAlpha = SIMD8(repeating: 255 - UInt16(pixel[3]))
        // Safe because both are 4 bytes of plain bits.
        self.color = SIMD4(repeating: unsafeBitCast(pixel, to: UInt32.self))
    }

    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let lowerBytes = SIMD4<UInt32>(repeating: 0x00FF_00FF)
        let even = dividedBy255(halves(pixels & lowerBytes) &* inverseAlpha)
        let odd = dividedBy255(halves(pixels &>> SIMD4(repeating: 8) & lowerBytes) &* inverseAlpha)
        return color &+ (words(even) | words(odd) &<< SIMD4(repeating: 8))
    }
}
