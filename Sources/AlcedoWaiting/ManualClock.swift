/// A clock whose time changes only by ``advance(by:)``.
///
/// Each call is one jump: a task that sleeps again starts from the new time.
public final class ManualClock: Clock {
    /// A point in the clock's time.
    public struct Instant: InstantProtocol {
        /// Time since the clock was made.
        public let offset: Duration

        /// The instant `offset` after the clock was made.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from this instant to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether `left` comes before `right`.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers = 0
    }

    private let state = Monitor(State())

    /// Creates a clock whose time is zero.
    public init() {}

    /// Counts the reads of ``now``.
    package let looks = Counter()

    /// The current time.
    public var now: Instant {
        looks.increment()
        return state.value.now
    }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.value.sleepers }

    /// Advances the time, and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        state.update { $0.now = $0.now.advanced(by: duration) }
    }

    /// Suspends until `count` or more tasks sleep, or the task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        await state.wait { $0.sleepers >= count }
    }

    /// Suspends until the time is `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: when to resume; returns at once if it has passed.
    ///   - tolerance: has no effect.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        guard now < deadline else { return }
        state.update { $0.sleepers += 1 }
        let woke = await state.wait { state in
            guard state.now >= deadline else { return false }
            state.sleepers -= 1
            return true
        }
        guard woke else {
            state.update { $0.sleepers -= 1 }
            throw CancellationError()
        }
    }
}
