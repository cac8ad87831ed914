import AlcedoLocks

/// Delays one action until it is opened.
final class CompletionGate: Sendable {
    private struct State {
        var isOpen = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Runs `action` now if the gate is open, else when it opens.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.action = action }
            return state.isOpen
        }
        if isOpen { action() }
    }

    func open() {
        let action = state.withLock { state in
            state.isOpen = true
            return state.action.take()
        }
        action?()
    }
}
