/// How long to wait before a worker is started in the place of one that has died.
///
/// Five deaths in ten seconds cost nothing; with the next ones the delay goes from a tenth of a second to five seconds.
struct RestartDelay {
    private var deaths: [ContinuousClock.Instant] = []

    /// Notes that a worker has died.
    mutating func recordDeath(at now: ContinuousClock.Instant) {
        deaths.removeAll { $0 < now - .seconds(10) }
        deaths.append(now)
        if deaths.count > 20 { deaths.removeFirst() }
    }

    /// Seconds to wait.
    func delay(at now: ContinuousClock.Instant) -> Double {
        let recent = deaths.count { $0 >= now - .seconds(10) }
        guard recent > 5 else { return 0 }
        return min(0.1 * Double(1 << (recent - 6)), 5)
    }
}
