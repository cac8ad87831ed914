/// The timers of connections, sorted by time in descending order.
struct Alarms {
    private var pending: [(time: ContinuousClock.Instant, connection: Int)] = []

    mutating func set(_ connection: Int, after duration: Duration) {
        let time = ContinuousClock.now + duration
        let index = pending.lastIndex { $0.time > time }.map { $0 + 1 } ?? 0
        pending.insert((time, connection), at: index)
    }

    mutating func clear(_ connection: Int) { pending.removeAll { $0.connection == connection } }

    mutating func takeDue() -> [Int] {
        guard !pending.isEmpty else { return [] }
        let now = ContinuousClock.now
        var due: [Int] = []
        while let last = pending.last, last.time <= now {
            due.append(last.connection)
            pending.removeLast()
        }
        return due
    }

    /// The timeout for `poll`, rounded up; -1 without a timer.
    var millisecondsToNext: Int32 {
        guard let next = pending.last else { return -1 }
        let left = max(.zero, next.time - .now)
        return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}
