import AlcedoLocks

/// A decision that the loop waits for: made once, on any thread, before or after the loop takes it.
final class Decision<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited
        case made(Value)
        case taken
    }

    private let state = Lock(State.open)

    /// Makes the decision, and ignores later ones; true if the loop waits for it and must be woken.
    func make(_ value: Value) -> Bool {
        state.withLock { state in
            switch state {
            case .open:
                state = .made(value)
                return false
            case .awaited:
                state = .made(value)
                return true
            case .made, .taken:
                return false
            }
        }
    }

    /// The decision, once; nil if it has yet to be made, which then wakes the loop.
    func take() -> Value? {
        state.withLock { state in
            switch state {
            case .made(let value):
                state = .taken
                return value
            case .open, .awaited:
                state = .awaited
                return nil
            case .taken:
                return nil
            }
        }
    }
}
