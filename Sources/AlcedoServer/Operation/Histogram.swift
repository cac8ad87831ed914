import AlcedoLocks

/// Durations by size.
struct Histogram: Sendable {
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private(set) var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var total = 0
    private(set) var sum = 0.0

    /// A deep copy.
    var copy: Histogram {
        var copy = self
        copy.counts = counts.map(\.self)
        return copy
    }

    mutating func add(_ duration: Duration) {
        let seconds = duration.seconds
        total += 1
        sum += seconds
        if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
    }
}
