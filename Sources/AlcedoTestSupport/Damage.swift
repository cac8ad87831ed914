/// Damaged copies of a file, the same at every run.
package enum Damage {
    /// Cut off at every sixteenth of its length.
    package static func cuts(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<16).map { Array(bytes.prefix(bytes.count * $0 / 16)) }
    }

    /// With one byte changed, each at another place.
    package static func flips(of bytes: [UInt8], count: Int = 200, seed: UInt64 = 1) -> [[UInt8]] {
        var state = seed
        func next() -> Int {
            // Knuth's generator; its upper half is random enough.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        return (0..<count).map { _ in
            var copy = bytes
            copy[next() % copy.count] ^= UInt8(1 + next() % 255)
            return copy
        }
    }
}
