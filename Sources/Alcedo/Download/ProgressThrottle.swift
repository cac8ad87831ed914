/// Selects the reports of one transfer's progress that reach the program.
///
/// The first and the last always do; at most 30 a second do between them.
struct ProgressThrottle {
    static let interval = Duration.seconds(1) / 30

    private var last: (received: Int64, time: ContinuousClock.Instant)?

    /// Whether reports were made and the last one is yet to come.
    private(set) var isOpen = false

    /// Whether to report so many bytes now; `expected` is nil while the total is unknown.
    mutating func admits(received: Int64, expected: Int64?, at now: ContinuousClock.Instant) -> Bool {
        let isLast = received == expected
        // A transfer that starts over receives less than before.
        if let last, received >= last.received, !isLast, now < last.time + Self.interval { return false }
        last = (received, now)
        isOpen = !isLast
        return true
    }

    /// Whether to report the end of a body whose total was unknown.
    mutating func admitsEnd() -> Bool {
        defer { isOpen = false }
        return isOpen
    }
}
