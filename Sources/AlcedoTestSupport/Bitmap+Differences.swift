package import AlcedoPixels

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
}
