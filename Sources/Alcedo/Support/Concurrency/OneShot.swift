import AlcedoLocks

/// A result for one waiter, set once by completion or by cancellation.
///
/// The waiter reads the result under the lock. The thread sanitizer does not see that a continuation hands a value over if
/// it is resumed before its task is suspended.
package final class OneShot<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var result: Result<Value, Failure>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Sets the result; later calls are ignored.
    package func finish(_ result: Result<Value, Failure>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits for the result; called once.
    package func value() async throws(Failure) -> Value {
        await withCheckedContinuation { waiter in
            let isFinished = state.withLock { state in
                if state.result == nil { state.waiter = waiter }
                return state.result != nil
            }
            if isFinished { waiter.resume() }
        }
        guard let result = state.withLock({ $0.result }) else {
            preconditionFailure("a waiter is resumed with a result")
        }
        return try result.get()
    }
}
