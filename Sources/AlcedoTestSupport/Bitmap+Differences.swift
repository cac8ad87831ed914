package import AlcedoPixels
import Glibc

extension Bitmap {
    /// The largest difference between two bytes at the same place; 256 if the sizes differ.
    package func largestDifference(to other: Bitmap) -> Int {
        reduceDifferences(to: other) { max($0, abs($1)) } ?? 256
    }

    /// The mean difference between bytes at the same place; 256 if the sizes differ.
    package func meanDifference(to other: Bitmap) -> Double {
        reduceDifferences(to: other) { $0 + abs($1) }.map { Double($0) / Double(byteCount) } ?? 256
    }

    /// The peak signal-to-noise ratio of all bytes in decibels: infinite for equal bitmaps, 0 if the sizes differ.
    package func psnr(to other: Bitmap) -> Double {
        guard let squares = reduceDifferences(to: other, { $0 + $1 * $1 }) else { return 0 }
        return 10 * log10(255 * 255 * Double(byteCount) / Double(squares))
    }

    /// Nil if the sizes differ.
    private func reduceDifferences(to other: Bitmap, _ next: (Int, Int) -> Int) -> Int? {
        guard size == other.size else { return nil }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                zip(one, other).reduce(0) { next($0, Int($1.0) - Int($1.1)) }
            }
        }
    }
}
