package import AlcedoPixels
import Glibc

extension Bitmap {
    /// The largest difference between two bytes at the same place; 256 if the sizes differ.
    package func largestDifference(to other: Bitmap) -> Int {
        guard size == other.size else { return 256 }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                zip(one, other).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
            }
        }
    }

    /// The mean difference between bytes at the same place; 256 if the sizes differ.
    package func meanDifference(to other: Bitmap) -> Double {
        guard size == other.size else { return 256 }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                Double(zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.count)
            }
        }
    }

    /// The peak signal-to-noise ratio of all bytes in decibels: infinite for equal bitmaps, 0 if the sizes differ.
    package func psnr(to other: Bitmap) -> Double {
        guard size == other.size else { return 0 }
        let squares = withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                zip(one, other).reduce(0) { sum, pair in
                    let difference = Int(pair.0) - Int(pair.1)
                    return sum + difference * difference
                }
            }
        }
        return 10 * log10(255 * 255 * Double(byteCount) / Double(squares))
    }
}
