import AlcedoLocks

/// Notifies listeners that a frame is decoded.
final class FrameReadySignal: Sendable {
    private let listeners = Lock(Set<AsyncStream<Void>.Continuation>())

    func notify() {
        for listener in listeners.withLock({ $0.map { $0 } }) { listener.yield() }
    }

    /// The signals from now on; pending signals are coalesced into one.
    ///
    /// Each listener needs its own stream, because cancelling a task that awaits a stream ends that stream.
    func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            listeners.withLock { _ = $0.insert(listener) }
            listener.onTermination = { [weak self] _ in
                self?.listeners.withLock { _ = $0.remove(listener) }
            }
        }
    }
}

/// Wakes a playing animation that sleeps until its next frame, after a change of its rate or position.
final class PlaybackChangeSignal: Sendable {
    private struct State {
        var count = 0
        var sleep: Task<Void, Never>?
    }

    private let state = Lock(State())
    var count: Int { state.withLock { $0.count } }

    /// Counts a change, and ends the present sleep.
    func notify() {
        let sleep = state.withLock { state in
            state.count += 1
            return state.sleep.take()
        }
        sleep?.cancel()
    }

    /// Sleeps until a deadline, a change or the task's cancellation; not at all if there were changes after the first `count`.
    func sleep<C: Clock>(
        by clock: C, until deadline: C.Instant, unlessChangedSince count: Int,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let sleep = Task { _ = try? await clock.sleep(until: deadline, tolerance: nil) }
        let isCurrent = state.withLock { state in
            guard state.count == count else { return false }
            state.sleep = sleep
            return true
        }
        if !isCurrent { sleep.cancel() }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }
}
