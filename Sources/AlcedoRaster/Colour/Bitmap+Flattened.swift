public import AlcedoPixels

extension Bitmap {
    /// Composites the bitmap over a colour whose alpha is taken as 1; returns `self` if the bitmap is opaque.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func flattened(onto background: RasterColor) throws(CodecError) -> Bitmap {
        var opaque = background
        opaque.alpha = 1
        return try composited(over: opaque)
    }

    /// Composites the bitmap over a colour, which may be translucent.
    consuming func composited(over background: RasterColor) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be flattened")
        if alpha == .opaque { return self }
        if let color = deepColor(background) {
            return try mappedDeep(
                alpha: background.isOpaque ? .opaque : .premultiplied,
                DeepMix(kept: 1, color: color, added: 1, addedByAlpha: -1))
        }
        return try mapped(alpha: background.isOpaque ? .opaque : .premultiplied, Backdrop(background))
    }
}

/// Divides 16-bit products by 255, rounded to the nearest; exact from 0 to 255 × 255.
@inline(__always)
func dividedBy255(_ product: SIMD8<UInt16>) -> SIMD8<UInt16> {
    let sum = product &+ SIMD8(repeating: 128)
    return (sum &+ (sum &>> SIMD8(repeating: 8))) &>> SIMD8(repeating: 8)
}

/// Composites pixels over a backdrop of one colour.
private struct Backdrop: PixelMap {
    private let blueAndRed: SIMD8<UInt16>
    private let greenAndAlpha: SIMD8<UInt16>

    init(_ color: RasterColor) {
        let pixel = SIMD4<UInt16>(truncatingIfNeeded: color.pixel)
        let two = SIMD4(pixel[0], pixel[2], pixel[0], pixel[2])
        let others = SIMD4(pixel[1], pixel[3], pixel[1], pixel[3])
        blueAndRed = SIMD8(lowHalf: two, highHalf: two)
        greenAndAlpha = SIMD8(lowHalf: others, highHalf: others)
    }

    /// Source-over of four premultiplied pixels.
    @inline(__always)
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let inverseAlpha = SIMD4(repeating: 255) &- (pixels &>> SIMD4(repeating: 24))
        let twice = halves(inverseAlpha | inverseAlpha &<< SIMD4(repeating: 16))
        let even = words(dividedBy255(blueAndRed &* twice))
        let odd = words(dividedBy255(greenAndAlpha &* twice))
        return pixels &+ (even | odd &<< SIMD4(repeating: 8))
    }
}

/// Reinterprets four pixels as eight 16-bit lanes of two channels each.
@inline(__always)
func halves(_ words: SIMD4<UInt32>) -> SIMD8<UInt16> {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(words, to: SIMD8<UInt16>.self)
}

/// Reinterprets eight 16-bit lanes as four pixels.
@inline(__always)
func words(_ halves: SIMD8<UInt16>) -> SIMD4<UInt32> {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(halves, to: SIMD4<UInt32>.self)
}
