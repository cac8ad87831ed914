/// How long a helper program that does not start is not started again.
///
/// Five failures in ten seconds have no effect; with the next ones the delay grows from a tenth of a second to five
/// seconds. Nobody waits for its end: images fail at once. A worker that has started and then dies is replaced
/// without a delay: its image is rejected from then on, and a new process costs no more than a large image, so that
/// others need not pay for it.
struct RestartDelay {
    private var failures: [ContinuousClock.Instant] = []

    mutating func recordFailure(at now: ContinuousClock.Instant) {
        failures.removeAll { $0 < now - .seconds(10) }
        failures.append(now)
        if failures.count > 20 { failures.removeFirst() }
    }

    /// Whether no worker is to be started.
    func applies(at now: ContinuousClock.Instant) -> Bool {
        let recent = failures.count { $0 >= now - .seconds(10) }
        guard recent > 5, let last = failures.last else { return false }
        return now < last + .milliseconds(min(100 << (recent - 6), 5000))
    }
}
