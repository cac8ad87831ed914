import Foundation

/// A source of random numbers that gives the same sequence in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return mixed(state)
    }
}

/// Mixes all bits of a number.
func mixed(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}

/// The sampled pictures with their popularity and sizes.
///
/// The head is left out: its requests are hits in memory on every machine. Of the rest, one rank in each block of
/// `sampling` ranks is taken, so the shape of the distribution stays, and cache sizes are divided by `sampling`
/// (Waldspurger et al.: Efficient MRC Construction with SHARDS, FAST 2015).
struct Pictures {
    /// The share of all requests that ask for a picture of the head.
    let headShare: Double
    private let fleet: Fleet
    /// The running sum of the popularity of the sampled pictures.
    private let cumulative: [Double]

    init(_ fleet: Fleet) {
        self.fleet = fleet
        let exponent = fleet.exponent
        let head = (1...fleet.head).reduce(0.0) { $0 + pow(Double($1), -exponent) }
        var cumulative: [Double] = []
        var sum = 0.0
        var rank = fleet.head + 1
        while rank + fleet.sampling <= fleet.pictures {
            // The mean popularity of the block, by its integral.
            let (from, to) = (Double(rank) - 0.5, Double(rank + fleet.sampling) - 0.5)
            sum += integral(to, exponent) - integral(from, exponent)
            cumulative.append(sum)
            rank += fleet.sampling
        }
        self.cumulative = cumulative
        headShare = head / (head + sum)
    }

    var count: Int { cumulative.count }

    /// A picture by its popularity.
    func draw(using generator: inout SeededGenerator) -> Int {
        let wanted = Double.random(in: 0..<(cumulative.last ?? 1), using: &generator)
        var (low, high) = (0, cumulative.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The key of the result of a treatment; treatment -1 is the original.
    func key(_ picture: Int, treatment: Int) -> UInt64 {
        mixed(UInt64(picture) * 64 + UInt64(treatment + 1))
    }

    /// Bytes of a key's value: log-normal around the median, from the key itself.
    func bytes(_ key: UInt64, median: Int) -> Int {
        let (first, second) = (mixed(key ^ 1), mixed(key ^ 2))
        let uniform = (Double(first >> 11) + 0.5) / Double(UInt64(1) << 53)
        let angle = Double(second >> 11) / Double(UInt64(1) << 53) * 2 * .pi
        let normal = (-2 * log(uniform)).squareRoot() * cos(angle)
        return max(500, Int(Double(median) * exp(0.6 * normal)))
    }
}

/// The integral of rank^-exponent.
private func integral(_ rank: Double, _ exponent: Double) -> Double {
    exponent == 1 ? log(rank) : pow(rank, 1 - exponent) / (1 - exponent)
}
