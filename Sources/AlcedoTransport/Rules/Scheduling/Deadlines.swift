/// The timeouts of a transfer; times are seconds of one monotonic clock.
struct Deadlines {
    enum Stage {
        case connecting
        case awaitingFirstByte
        case receiving
        /// The handler decides: only the total timeout runs.
        case suspended
    }

    /// When the transfer first left the queue.
    let start: Double

    private(set) var stage = Stage.connecting

    /// When the stage started, or bytes last arrived in it.
    private(set) var since: Double
    private let timeouts: TransportTimeouts

    init(_ timeouts: TransportTimeouts, start: Double) {
        self.timeouts = timeouts
        self.start = start
        since = start
    }

    mutating func enter(_ stage: Stage, at now: Double) {
        self.stage = stage
        since = now
    }

    /// Restarts the stage's timeout, because bytes arrived.
    mutating func touch(at now: Double) { since = now }

    /// The next timeout: when, in which phase, and its length in seconds; `at` is infinite if there is none.
    var next: (at: Double, phase: TimeoutPhase, seconds: Double) {
        let current: (phase: TimeoutPhase, seconds: Double) =
            switch stage {
            case .connecting: (.connect, timeouts.connect)
            case .awaitingFirstByte: (.firstByte, timeouts.firstByte)
            case .receiving: (.stall, timeouts.stall)
            case .suspended: (.stall, 0)
            }
        let stageEnd = current.seconds > 0 ? since + current.seconds : .infinity
        let end = timeouts.total > 0 ? start + timeouts.total : .infinity
        return end < stageEnd ? (end, .total, timeouts.total) : (stageEnd, current.phase, current.seconds)
    }
}
