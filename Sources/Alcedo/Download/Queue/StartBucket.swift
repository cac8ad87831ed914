/// A token bucket: decides when the next download may start at a ``DownloadRate``.
///
/// It stores the time at which all tokens are back, because durations add up without rounding.
struct StartBucket {
    let rate: DownloadRate

    private let interval: Duration
    private let burst: Duration
    private var full = Duration.zero

    /// A full bucket.
    init(_ rate: DownloadRate) {
        self.rate = rate
        // False for NaN, too.
        interval = .seconds(rate.perSecond > 0.01 ? 1 / rate.perSecond : 100)
        burst = interval * (min(max(rate.burst, 1), 10_000) - 1)
    }

    /// Takes a token; false if there is none.
    mutating func take(at now: Duration) -> Bool {
        guard delay(at: now) == .zero else { return false }
        full = max(full, now) + interval
        return true
    }

    /// The time until there is a token; zero if there is one.
    func delay(at now: Duration) -> Duration { max(.zero, full - burst - now) }
}
