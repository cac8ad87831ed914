import AlcedoLocks

/// A result for one waiter, set once by completion or by cancellation.
final class OneShot<Value: Sendable, Failure: Error>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Result<Value, Failure>, Never>)
        case done(Result<Value, Failure>)
    }

    private let state = Lock(State.idle)

    /// Sets the result; later calls are ignored.
    func finish(_ result: Result<Value, Failure>) {
        let waiter: CheckedContinuation<Result<Value, Failure>, Never>? = state.withLock { state in
            switch state {
            case .done: return nil
            case .idle:
                state = .done(result)
                return nil
            case .waiting(let continuation):
                state = .done(result)
                return continuation
            }
        }
        waiter?.resume(returning: result)
    }

    /// Waits for the result; called once.
    func value() async throws(Failure) -> Value {
        let result = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<Value, Failure>, Never>) in
            let early: Result<Value, Failure>? = state.withLock { state in
                if case .done(let result) = state { return result }
                state = .waiting(waiter)
                return nil
            }
            if let early { waiter.resume(returning: early) }
        }
        return try result.get()
    }
}
