import AlcedoLocks

/// A cancellation flag with one action.
///
/// It retains only the action, so options may retain it.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Replaces the action; runs it now if this is cancelled.
    func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        let (isCancelled, previous) = state.withLock { state in
            defer { state.action = state.isCancelled ? nil : action }
            return (state.isCancelled, state.action)
        }
        // Released outside the lock, because it may be the last to retain a load.
        withExtendedLifetime(previous) {}
        if isCancelled { action() }
    }

    func removeAction() { _ = takeAction() }

    /// Sets the flag and returns the action; nil if there is none or it was returned before.
    func mark() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isCancelled = true
            return state.action.take()
        }
    }

    func cancel() { mark()?() }

    private func takeAction() -> (@Sendable () -> Void)? { state.withLock { $0.action.take() } }
}
