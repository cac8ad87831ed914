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

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers = 0
    }

    private let state = Monitor(State())

    public init() {}

    package let looks = CallCounter()

    public var now: Instant {
        looks.increment()
        return state.value.now
    }

    public var minimumResolution: Duration { .nanoseconds(1) }
    public var sleepers: Int { state.value.sleepers }

    /// Advances the time, and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        state.update { $0.now = $0.now.advanced(by: duration) }
    }

    /// Suspends until `count` or more tasks sleep, or the task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        await state.wait { $0.sleepers >= count }
    }

    /// Suspends until the time is `deadline`, whatever the tolerance.
    ///
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
