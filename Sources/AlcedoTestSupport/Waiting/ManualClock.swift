/// A clock that stands still until a test moves it.
///
/// One ``advance(by:)`` is one jump: a sleeper that sleeps again does so from the new time.
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

    /// How often somebody has asked for the time.
    package let looks = Counter()

    package var now: Instant {
        looks.increment()
        return state.value.now
    }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep now.
    package var sleepers: Int { state.value.sleepers }

    /// Moves the time on, and wakes those whose time has come.
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
