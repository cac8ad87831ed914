/// Sixteen-bit products divided by 255 and rounded to the nearest; exact for all of 0…255 × 255.
@inline(__always)
func dividedBy255(_ product: SIMD8<UInt16>) -> SIMD8<UInt16> {
    let sum = product &+ SIMD8(repeating: 128)
    return (sum &+ (sum &>> SIMD8(repeating: 8))) &>> SIMD8(repeating: 8)
}

/// Two pixels over a background: each channel plus what the pixel's alpha lets through of `background`.
@inline(__always)
func composited(_ pixels: SIMD8<UInt8>, over background: SIMD8<UInt16>) -> SIMD8<UInt8> {
    let wide = SIMD8<UInt16>(truncatingIfNeeded: pixels)
    let alpha = SIMD8(lowHalf: SIMD4(repeating: wide[3]), highHalf: SIMD4(repeating: wide[7]))
    let through = SIMD8(repeating: 255) &- alpha
    return SIMD8(truncatingIfNeeded: wide &+ dividedBy255(background &* through))
}
