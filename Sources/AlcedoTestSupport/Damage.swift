/// Damaged copies of a file, the same in every run.
package enum Damage {
    /// Copies truncated at each sixteenth of the length.
    package static func cuts(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<16).map { Array(bytes.prefix(bytes.count * $0 / 16)) }
    }

    /// Copies with one changed byte at a pseudo-random offset.
    package static func flips(of bytes: [UInt8], count: Int = 200, seed: UInt64 = 1) -> [[UInt8]] {
        var state = seed
        func next() -> Int {
            // Knuth's linear congruential generator; the upper bits are random enough.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        return (0..<count).map { _ in
            var copy = bytes
            copy[next() % copy.count] ^= UInt8(1 + next() % 255)
            return copy
        }
    }

    /// Calls `body` with all damaged copies, and yields to other tests in between.
    ///
    /// - Returns: the number of truncated copies that `body` accepted, and all errors.
    package static func tried(
        on bytes: [UInt8],
        _ body: ([UInt8]) throws -> Void
    ) async -> (acceptedCuts: Int, errors: [any Error]) {
        var acceptedCuts = 0
        var errors: [any Error] = []
        func attempt(_ bytes: [UInt8]) -> Bool {
            do {
                try body(bytes)
                return true
            } catch {
                errors.append(error)
                return false
            }
        }
        for cut in cuts(of: bytes) where attempt(cut) { acceptedCuts += 1 }
        for flipped in flips(of: bytes) {
            _ = attempt(flipped)
            await Task.yield()
        }
        return (acceptedCuts, errors)
    }
}
