import AlcedoLocks

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
    private let connect: Double
    private let firstByte: Double
    private let stall: Double
    private let total: Double

    init(_ timeouts: TransportTimeouts, start: Double) {
        (connect, firstByte) = (timeouts.connect.seconds, timeouts.firstByte.seconds)
        (stall, total) = (timeouts.stall.seconds, timeouts.total.seconds)
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
            case .connecting: (.connect, connect)
            case .awaitingFirstByte: (.firstByte, firstByte)
            case .receiving: (.stall, stall)
            case .suspended: (.stall, 0)
            }
        let stageEnd = current.seconds > 0 ? since + current.seconds : .infinity
        let end = total > 0 ? start + total : .infinity
        return end < stageEnd ? (end, .total, total) : (stageEnd, current.phase, current.seconds)
    }
}
