import AlcedoLocks

/// Holds back one action until it is opened.
final class OneShotGate: Sendable {
    private struct State {
        var isOpen = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Runs `action` now, or as soon as the gate opens.
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
