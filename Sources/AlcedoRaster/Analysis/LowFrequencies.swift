package import AlcedoPixels
import Glibc

/// The 64 bits of a perceptual hash: which of the lowest frequencies of a picture's brightness are above their median.
package enum LowFrequencies {
    /// Each side of the bitmap that ``bits(of:)`` takes.
    package static let side = 32

    private static let count = 8

    /// The bits by rows, the highest first, of 32 × 32 pixels; transparent parts count as white.
    package static func bits(of bitmap: Bitmap) throws(CodecError) -> UInt64 {
        precondition(bitmap.width == side && bitmap.height == side && bitmap.alpha != .straight)
        let brightness = try brightness(bitmap.standard())
        let waves = (0..<count).map { frequency in
            (0..<side).map { cos(Double.pi * Double(frequency) * (Double($0) + 0.5) / Double(side)) }
        }
        // Rows first: of each row its frequencies, then of these columns theirs.
        let rows = (0..<side).map { y in
            waves.map { wave in (0..<side).reduce(0) { $0 + brightness[y * side + $1] * wave[$1] } }
        }
        let values = waves.flatMap { wave in
            (0..<count).map { x in (0..<side).reduce(0) { $0 + rows[$1][x] * wave[$1] } }
        }
        let sorted = values.sorted()
        let median = (sorted[values.count / 2 - 1] + sorted[values.count / 2]) / 2
        return values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// By the weights of BT.601, as other programs that calculate such hashes use.
    private static func brightness(_ bitmap: Bitmap) -> [Double] {
        bitmap.withUnsafeBytes { pixels in
            stride(from: 0, to: pixels.count, by: 4).map { index in
                let alpha = bitmap.alpha == .opaque ? 255 : Double(pixels[index + 3])
                return 0.114 * Double(pixels[index]) + 0.587 * Double(pixels[index + 1])
                    + 0.299 * Double(pixels[index + 2]) + 255 - alpha
            }
        }
    }
}
