import AlcedoLocks

/// Whether something was cancelled, and what to do when it is.
///
/// It knows nothing of what it cancels but that action, so options may keep it for as long as they like.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets what to do, in place of what was to be done before; does it at once if this was cancelled already.
    func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        let (isCancelled, previous) = state.withLock { state in
            defer { state.action = state.isCancelled ? nil : action }
            return (state.isCancelled, state.action)
        }
        withExtendedLifetime(previous) {}
        if isCancelled { action() }
    }

    /// Drops the action: what it would end is over.
    func removeAction() { _ = takeAction() }

    /// Marks this as cancelled, and returns what is to be done about that; nil if there is nothing, or it was done.
    func mark() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isCancelled = true
            return state.action.take()
        }
    }

    func cancel() { mark()?() }

    private func takeAction() -> (@Sendable () -> Void)? { state.withLock { $0.action.take() } }
}
