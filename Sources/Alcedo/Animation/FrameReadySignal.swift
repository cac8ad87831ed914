import AlcedoLocks

/// Notifies listeners that a frame is decoded.
final class FrameReadySignal: Sendable {
    private let listeners = Lock(Set<AsyncStream<Void>.Continuation>())

    /// Signals all listeners.
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
