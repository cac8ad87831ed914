import AlcedoLocks
import Synchronization

/// Does something once a number of steps have been taken, on the thread of the last.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let action: @Sendable () -> Void

    init(from count: Int, then action: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.action = action
    }

    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
    }
}

/// Holds back one action until it is opened.
final class OneShotGate: Sendable {
    private struct State {
        var isOpen: Bool
        var action: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    init(isOpen: Bool) {
        state = Lock(State(isOpen: isOpen))
    }

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
