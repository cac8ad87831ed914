/// Stops calls to something that keeps failing, and lets one through after a pause to see whether it works again.
///
/// Has no clock: times are durations since any fixed moment.
package struct CircuitBreaker: Sendable {
    package struct Limits: Sendable {
        /// Failures in a row that open it.
        package var consecutiveFailures = 3

        /// The number of last calls of which ``failuresInWindow`` open it too; at most 64.
        package var window = 20
        package var failuresInWindow = 5

        /// The first pause; each failed probe doubles it, up to the longest.
        package var firstPause = Duration.seconds(2)
        package var longestPause = Duration.seconds(30)

        /// The share by which pauses vary, so that processes don't probe together.
        package var jitter = 0.25

        package init(_ configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    package enum State: Sendable, Equatable {
        case closed

        /// No calls until then.
        case open(until: Duration)

        /// One call runs, which decides.
        case probing
    }

    package enum Permission: Sendable, Equatable {
        case granted

        /// This call decides whether the breaker closes: its result must be reported.
        case probe
        case denied
    }

    package private(set) var state = State.closed

    /// How often it has opened since it was last closed.
    package private(set) var openings = 0
    private let limits: Limits
    private var inARow = 0

    /// The last calls, one bit each, 1 for a failure; the lowest is the latest.
    private var history: UInt64 = 0

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether a call may be made.
    package mutating func request(at now: Duration) -> Permission {
        switch state {
        case .closed: return .granted
        case .probing: return .denied
        case .open(let end):
            guard now >= end else { return .denied }
            state = .probing
            return .probe
        }
    }

    package mutating func succeed() {
        switch state {
        case .closed: record(failure: false)
        case .probing: self = CircuitBreaker(limits)
        // Began before it opened.
        case .open: break
        }
    }

    /// A call has failed; `random` is from 0 to 1.
    package mutating func fail(at now: Duration, random: Double = .random(in: 0...1)) {
        switch state {
        case .closed:
            record(failure: true)
            let recent = history & (1 << UInt64(limits.window) - 1)
            guard inARow >= limits.consecutiveFailures || recent.nonzeroBitCount >= limits.failuresInWindow
            else { return }
            open(at: now, random)
        case .probing: open(at: now, random)
        case .open: break
        }
    }

    /// A call has failed for a reason that says nothing about the other end; after a probe, the next call is another.
    package mutating func ignore(at now: Duration) {
        if state == .probing { state = .open(until: now) }
    }

    /// Opens it at once if it is closed, whatever the calls before; `random` is from 0 to 1.
    package mutating func trip(at now: Duration, random: Double = .random(in: 0...1)) {
        if state == .closed { open(at: now, random) }
    }

    private mutating func record(failure: Bool) {
        history = history << 1 | (failure ? 1 : 0)
        inARow = failure ? inARow + 1 : 0
    }

    private mutating func open(at now: Duration, _ random: Double) {
        let doubled = limits.firstPause * (1 << min(openings, 16))
        let pause = min(doubled, limits.longestPause)
        state = .open(until: now + pause * jittered(1, by: limits.jitter, random: random))
        openings += 1
        (inARow, history) = (0, 0)
    }
}

/// `value`, changed by up to a share of it; `random` is from 0 to 1.
package func jittered(_ value: Double, by share: Double, random: Double = .random(in: 0...1)) -> Double {
    value * (1 + share * (2 * random - 1))
}
