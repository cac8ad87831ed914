/// Lookup table of a separable blend mode over one backdrop colour; the rows of an alpha are computed on first use.
struct BlendTable: ~Copyable {
    private let formula: BlendFormula
    private let opacity: Double
    private let backdrop: SIMD4<Double>

    /// 256 pixels for each alpha: entry `n` has the results for the value `n` in each channel.
    private let pixels: UnsafeMutablePointer<SIMD4<UInt8>>
    private let isComputed: UnsafeMutablePointer<Bool>

    init(_ mode: BlendMode, opacity: Double, backdrop: SIMD4<Double>) {
        formula = BlendFormula(mode: mode)
        self.opacity = opacity
        self.backdrop = backdrop
        pixels = .allocate(capacity: 1 << 16)
        isComputed = .allocate(capacity: 256)
        isComputed.initialize(repeating: false, count: 256)
    }

    deinit {
        pixels.deallocate()
        isComputed.deallocate()
    }

    /// The row for pixels of one alpha.
    @inline(__always)
    func row(_ alpha: Int) -> Row {
        if !isComputed[alpha] { compute(alpha) }
        let row = pixels + alpha &<< 8
        return Row(pixels: UnsafePointer(row), alpha: UInt32(row[alpha][3]) << 24)
    }

    /// The results for one alpha; valid as long as the table lives.
    struct Row {
        fileprivate let pixels: UnsafePointer<SIMD4<UInt8>>
        fileprivate let alpha: UInt32

        /// The result for a value in each channel; its alpha is that of the pixels.
        subscript(level: Int) -> SIMD4<UInt8> {
            var pixel = pixels[level]
            pixel[3] = UInt8(alpha >> 24)
            return pixel
        }

        @inline(__always)
        func callAsFunction(_ pixel: UInt32) -> UInt32 {
            let low = UInt32(pixels[Int(pixel & 255)][0]) | UInt32(pixels[Int(pixel >> 8 & 255)][1]) << 8
            return low | UInt32(pixels[Int(pixel >> 16 & 255)][2]) << 16 | alpha
        }
    }

    @inline(never)
    private func compute(_ alpha: Int) {
        let sourceAlpha = Double(alpha) / 255 * opacity
        let resultAlpha = formula.alpha(source: sourceAlpha, backdrop: backdrop[3])
        for level in 0..<256 {
            // A colour above its alpha is invalid in premultiplied pixels; it is clamped to the alpha.
            let source = Double(min(level, alpha)) / 255 * opacity
            var result = SIMD4(repeating: resultAlpha)
            for channel in 0..<3 {
                let value = formula.channel(
                    source, alpha: sourceAlpha, backdrop: backdrop[channel], backdropAlpha: backdrop[3])
                result[channel] = max(0, min(value, resultAlpha))
            }
            pixels[alpha << 8 | level] = SIMD4(result * 255, rounding: .toNearestOrAwayFromZero)
        }
        isComputed[alpha] = true
    }
}
