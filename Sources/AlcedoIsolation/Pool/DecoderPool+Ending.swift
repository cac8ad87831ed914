import AlcedoLocks
import Dispatch

extension DecoderPool {
    /// Ends all idle workers; the others continue.
    package func end() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for worker in idle { dismiss(worker) }
    }

    /// Ends a removed worker and wakes its waiters.
    private func dismiss(_ worker: Worker) {
        worker.end()
        for waiter in state.withLock({ $0.removeWaiters(for: worker) }) { waiter.take(.gone) }
    }

    private static let idleTimeout = Duration.seconds(60)

    func scheduleRetirement() {
        let starts = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard starts else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in
            self?.retire()
        }
    }

    /// Ends idle workers after 60 s without a request.
    private func retire() {
        let (old, isBusy) = state.withLock { state -> ([Worker], Bool) in
            state.isWatched = false
            guard state.lastUse + Self.idleTimeout <= .now else { return ([], state.count > 0) }
            defer { state.idle = [] }
            state.count -= state.idle.count
            return (state.idle, state.count > 0)
        }
        for worker in old { dismiss(worker) }
        if isBusy { scheduleRetirement() }
    }
}
