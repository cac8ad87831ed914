import AlcedoLocks
import AlcedoTestSupport
import Foundation

@testable import Alcedo

/// The time of a downloader, which only a test moves.
final class ManualTime: Sendable {
    private struct State {
        var now = Duration.seconds(1_000)
        var timers: [(id: Int, end: Duration, block: @Sendable () -> Void)] = []
        var lastTimer = 0
    }

    private let state = Lock(State())

    /// The number of timers that run.
    var timers: Int { state.withLock { $0.timers.count } }

    /// Waits until so many timers run: another thread may be about to start or to cancel one.
    func waitForTimers(_ count: Int) async {
        while timers != count, !Task.isCancelled { await Task.yield() }
    }

    var clock: DownloadClock {
        var clock = DownloadClock()
        clock.now = { [self] in state.withLock { $0.now } }
        clock.timer = { [self] seconds, block in
            let id = state.withLock { state in
                state.lastTimer += 1
                state.timers.append((state.lastTimer, state.now + .seconds(seconds), block))
                return state.lastTimer
            }
            return { [self] in
                let cancelled = state.withLock { state in
                    state.timers.firstIndex { $0.id == id }.map { state.timers.remove(at: $0) }
                }
                withExtendedLifetime(cancelled) {}
            }
        }
        return clock
    }

    /// Moves the time to the end of the next timer after the other, as far as `duration`.
    func advance(by duration: Duration) {
        let goal = state.withLock { $0.now + duration }
        while let block = takeTimer(until: goal) { block() }
        state.withLock { $0.now = goal }
    }

    private func takeTimer(until goal: Duration) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.timers.indices.min(by: { state.timers[$0].end < state.timers[$1].end }),
                state.timers[next].end <= goal
            else { return nil }
            state.now = max(state.now, state.timers[next].end)
            return state.timers.remove(at: next).block
        }
    }
}
