import AlcedoLocks

/// Tells whoever waits for frames that one has come.
final class FrameArrivals: Sendable {
    private let listeners = Lock(Set<AsyncStream<Void>.Continuation>())

    /// A frame has come.
    func tell() {
        for listener in listeners.withLock({ $0.map { $0 } }) { listener.yield() }
    }

    /// What comes from now on; what has not been asked for counts as one.
    ///
    /// Each listener has a stream of its own, for it ends for good when a task that waits for it is cancelled.
    func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            listeners.withLock { _ = $0.insert(listener) }
            listener.onTermination = { [weak self] _ in
                self?.listeners.withLock { _ = $0.remove(listener) }
            }
        }
    }
}
