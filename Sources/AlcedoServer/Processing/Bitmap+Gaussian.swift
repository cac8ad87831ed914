import AlcedoPixels
import AlcedoRaster
import Foundation

extension Bitmap {
    /// Blurs with a Gaussian of `sigma` pixels.
    ///
    /// From 2 on by ``AlcedoPixels/Bitmap/blurred(radius:)``, whose box filters are too wide for less.
    consuming func blurred(sigma: Double) throws(CodecError) -> Bitmap {
        guard sigma > 0 else { return self }
        guard sigma < 2 else { return try blurred(radius: min(sigma, 1_000_000)) }
        let weights = GaussianWeights(sigma: sigma)
        guard weights.reach > 0 else { return self }
        let (width, height) = (width, height)
        if isDeep {
            return try editingDeep { pixels in
                weights.filter(pixels, lines: height, length: width, line: width, step: 1)
                weights.filter(pixels, lines: width, length: height, line: 1, step: width)
            }
        }
        return try editing(alpha: alpha) { pixels in
            guard let base = pixels.baseAddress else { return }
            weights.filter(base, lines: height, length: width, line: width * 4, step: 4)
            weights.filter(base, lines: width, length: height, line: 4, step: width * 4)
        }
    }
}

/// A Gaussian as whole numbers that add up to 65,536.
private struct GaussianWeights {
    private let weights: [Int32]

    var reach: Int { weights.count / 2 }

    init(sigma: Double) {
        let reach = Int((sigma * 3).rounded(.up))
        let raw = (-reach...reach).map { offset in
            exp(-Double(offset * offset) / (2 * sigma * sigma))
        }
        let sum = raw.reduce(0, +)
        var weights = raw.map { Int32(($0 / sum * 65536).rounded()) }
        // Rounding may have changed the sum, and a plain area must keep its value.
        weights[reach] += 65536 - weights.reduce(0, +)
        self.weights = weights
    }

    /// Filters `lines` lines of `length` pixels in place; the edges are repeated.
    func filter(_ base: UnsafeMutableRawPointer, lines: Int, length: Int, line: Int, step: Int) {
        var padded = [SIMD4<Int32>](repeating: .zero, count: length + 2 * reach)
        let (reach, count) = (reach, weights.count)
        weights.withUnsafeBufferPointer { weights in
            padded.withUnsafeMutableBufferPointer { padded in
                for index in 0..<lines {
                    let start = base + index * line
                    for place in 0..<padded.count {
                        let position = min(max(place - reach, 0), length - 1)
                        let pixel = (start + position * step).load(as: SIMD4<UInt8>.self)
                        padded[place] = SIMD4(truncatingIfNeeded: pixel)
                    }
                    for position in 0..<length {
                        var sum = SIMD4<Int32>(repeating: 32768)
                        for tap in 0..<count { sum &+= padded[position + tap] &* weights[tap] }
                        (start + position * step).storeBytes(
                            of: SIMD4<UInt8>(truncatingIfNeeded: sum &>> 16), as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
    }

    /// Filters lines of deep pixels.
    func filter(
        _ base: UnsafeMutablePointer<SIMD4<UInt16>>, lines: Int, length: Int, line: Int, step: Int
    ) {
        var padded = [SIMD4<Float>](repeating: .zero, count: length + 2 * reach)
        let (reach, factors) = (reach, weights.map { Float($0) / 65536 })
        factors.withUnsafeBufferPointer { factors in
            padded.withUnsafeMutableBufferPointer { padded in
                for index in 0..<lines {
                    let start = base + index * line
                    for place in 0..<padded.count {
                        let position = min(max(place - reach, 0), length - 1)
                        padded[place] = SIMD4<Float>(start[position * step])
                    }
                    for position in 0..<length {
                        var sum = SIMD4<Float>(repeating: 0.5)
                        for tap in factors.indices { sum += padded[position + tap] * factors[tap] }
                        // Sums of floats may be above the largest sample by their rounding.
                        let samples = SIMD4<UInt16>(clamping: SIMD4<Int32>(sum))
                        start[position * step] = pointwiseMin(samples, SIMD4(repeating: samples.w))
                    }
                }
            }
        }
    }
}
