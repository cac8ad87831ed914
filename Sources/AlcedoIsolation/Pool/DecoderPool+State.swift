import AlcedoLocks
import AlcedoPixels
import Dispatch

extension DecoderPool {
    /// A request that waits for its turn.
    final class Waiter: Sendable {
        enum Turn { case worker(Worker), gone, failed(WorkerFailure) }

        /// The only worker that will do; nil for any.
        let wanted: Worker?
        let outcome = Lock(Turn.gone)
        let semaphore = DispatchSemaphore(value: 0)

        init(_ wanted: Worker?) { self.wanted = wanted }

        func take(_ turn: Turn) {
            self.outcome.withLock { $0 = turn }
            semaphore.signal()
        }
    }

    /// The state of a pool's workers.
    struct State {
        /// Those without work; the one that was busy last is the last.
        var idle: [Worker] = []

        /// All workers, also those that are being started.
        var count = 0
        var waiting: [Waiter] = []
        var restarts = RestartDelay()

        /// Why the last worker did not start.
        var startFailure: WorkerFailure?

        /// How far the next worker is to restrict itself.
        var wantedLevel = SandboxLevel.files
        var foundLevel: SandboxLevel?
        var lastUse = ContinuousClock.now
        var isWatched = false
        var sessions = 0

        /// Animations in one worker before another one is started.
        private static let sessionsPerWorker = 8

        /// The worker that was busy last; for an animation the one that has the fewest, nil if those are many and there
        /// may be another worker.
        mutating func popIdle(forAnimation: Bool, limit: Int) -> Worker? {
            guard forAnimation else { return idle.popLast() }
            let fewest = idle.indices.reversed().min { idle[$0].sessions < idle[$1].sessions }
            guard let fewest, idle[fewest].sessions < Self.sessionsPerWorker || count >= limit else {
                return nil
            }
            return idle.remove(at: fewest)
        }

        /// Removes and returns the waiters for this worker only.
        mutating func removeWaiters(for worker: Worker) -> [Waiter] {
            let gone = waiting.filter { $0.wanted === worker }
            waiting.removeAll { $0.wanted === worker }
            return gone
        }
    }
}
