/// Keeps equal errors from filling the log: admits the first of each kind in a period, and counts the others.
///
/// Without clock and I/O: the time is a parameter.
struct ErrorLimiter: Sendable {
    /// Equal errors that are logged in a period.
    static let logged = 10
    /// The length of a period.
    static let period = Duration.seconds(10)

    struct Kind: Hashable, Sendable {
        var status: Int
        var text: String
    }

    private struct Count {
        let start: ContinuousClock.Instant
        var all = 0
    }

    private var counts: [Kind: Count] = [:]

    /// Whether an error is to be logged.
    mutating func admits(_ kind: Kind, at now: ContinuousClock.Instant) -> Bool {
        counts[kind, default: Count(start: now)].all += 1
        return counts[kind]?.all ?? 0 <= Self.logged
    }

    /// The errors that were counted in periods that have ended, and were not logged.
    mutating func takeSums(at now: ContinuousClock.Instant, all: Bool = false) -> [(
        kind: Kind, count: Int
    )] {
        var sums: [(kind: Kind, count: Int)] = []
        for (kind, count) in counts where all || now - count.start >= Self.period {
            counts[kind] = nil
            if count.all > Self.logged { sums.append((kind, count.all - Self.logged)) }
        }
        return sums.sorted { $0.kind.status < $1.kind.status }
    }
}
