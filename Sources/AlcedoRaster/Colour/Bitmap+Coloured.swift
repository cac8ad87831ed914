public import AlcedoPixels

extension Bitmap {
    /// The picture mixed with a colour, inside its own alpha: colour × (1 − `fraction`) + picture × `fraction`.
    ///
    /// Both are mixed as premultiplied sRGB-encoded values, so that a translucent colour makes a translucent picture,
    /// and each channel is within half a level of the exact value, or a hundredth more. Returns `self` if `fraction` is
    /// 1 or more; one that is negative or not a number counts as 0.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public consuming func overlaid(with color: RasterColor, fraction: Double) throws(CodecError) -> Bitmap {
        if fraction >= 1 { return self }
        let isOpaque = alpha == .opaque && color.isOpaque
        return try mapped(
            alpha: isOpaque ? .opaque : .premultiplied,
            Overlay(color, fraction: fraction > 0 ? fraction : 0)
        )
    }

    /// The picture with a colour laid over all of it, transparent parts too.
    ///
    /// Composited source-over, as premultiplied sRGB-encoded values, rounded to the nearest. Returns `self` if the
    /// colour is clear.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public consuming func tinted(with color: RasterColor) throws(CodecError) -> Bitmap {
        if color.pixel[3] == 0 { return self }
        let isOpaque = alpha == .opaque || color.isOpaque
        return try mapped(alpha: isOpaque ? .opaque : .premultiplied, Tint(color))
    }
}

/// Pixels between a colour and themselves.
private struct Overlay: PixelMap {
    /// The share of the pixels.
    private let kept: Share

    /// The product that a pixel's alpha adds to each channel.
    private let blueAndRed: Share
    private let greenAndAlpha: Share

    init(_ color: RasterColor, fraction: Double) {
        kept = Share(fraction, fraction)
        let parts = color.premultiplied * (1 - fraction)
        blueAndRed = Share(parts[0], parts[2])
        greenAndAlpha = Share(parts[1], parts[3])
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
    private func mix(_ channels: SIMD8<UInt16>, _ alpha: SIMD8<UInt16>, _ added: Share) -> SIMD8<UInt16> {
        // One half to round, and the mean loss of truncating two products.
        (kept.times256(channels) &+ added.times256(alpha) &+ SIMD8(repeating: 129)) &>> SIMD8(repeating: 8)
    }
}

/// A factor for every other channel of four pixels, and one for those between, in parts of 65,536.
private struct Share {
    /// The factors' upper and lower bytes: products of these with a byte fit sixteen bits.
    private let upper: SIMD8<UInt16>
    private let lower: SIMD8<UInt16>

    /// Takes factors from 0 to 1; 1 itself counts as slightly less.
    init(_ even: Double, _ odd: Double) {
        func whole(_ part: Double) -> UInt16 { UInt16(min(65_535, (part * 65_536).rounded())) }
        let two = SIMD2(whole(even), whole(odd))
        let four = SIMD4(lowHalf: two, highHalf: two)
        upper = SIMD8(lowHalf: four, highHalf: four) &>> SIMD8(repeating: 8)
        lower = SIMD8(lowHalf: four, highHalf: four) & SIMD8(repeating: 255)
    }

    /// The products with bytes, times 256, rounded down.
    @inline(__always)
    func times256(_ bytes: SIMD8<UInt16>) -> SIMD8<UInt16> {
        bytes &* upper &+ (bytes &* lower) &>> SIMD8(repeating: 8)
    }
}

/// Pixels with a colour in front of them.
private struct Tint: PixelMap {
    private let through: SIMD8<UInt16>
    private let color: SIMD4<UInt32>

    init(_ color: RasterColor) {
        let pixel = color.pixel
        through = SIMD8(repeating: 255 - UInt16(pixel[3]))
        // Safe because both are 4 bytes of plain bits.
        self.color = SIMD4(repeating: unsafeBitCast(pixel, to: UInt32.self))
    }

    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let lowerBytes = SIMD4<UInt32>(repeating: 0x00FF_00FF)
        let even = dividedBy255(halves(pixels & lowerBytes) &* through)
        let odd = dividedBy255(halves(pixels &>> SIMD4(repeating: 8) & lowerBytes) &* through)
        return color &+ (words(even) | words(odd) &<< SIMD4(repeating: 8))
    }
}
