/// A clock whose time changes only by ``advance(by:)``.
///
/// Each call is one jump: a task that sleeps again starts from the new time.
package final class ManualClock: Clock {
    /// Time since the clock was made.
    package struct Instant: InstantProtocol {
        package let offset: Duration

        package init(offset: Duration = .zero) { self.offset = offset }

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        package func duration(to other: Instant) -> Duration { other.offset - offset }

        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Counts the reads of ``now``.
    package let looks = Counter()

    package var now: Instant {
        looks.increment()
        return state.value.now
    }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    package var sleepers: Int { state.value.sleepers }

    /// Advances the time, and wakes the tasks whose deadline has passed.
    package func advance(by duration: Duration) {
        state.update { $0.now = $0.now.advanced(by: duration) }
    }

    /// Suspends until `count` or more tasks sleep, or the task is cancelled.
    package func waitForSleepers(_ count: Int) async {
        await state.wait { $0.sleepers >= count }
    }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
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
