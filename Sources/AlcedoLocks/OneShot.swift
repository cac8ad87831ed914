/// A result for one waiter, set once by completion or by cancellation.
///
/// The waiter reads the result under the lock. The thread sanitizer does not see that a continuation hands a value over if
/// it is resumed before its task is suspended.
package final class OneShot<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var isFinished = false
        /// Nil again once it is read: a timer may keep this for long.
        var result: Result<Value, Failure>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Sets the result; later calls are ignored.
    package func finish(_ result: Result<Value, Failure>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            (state.isFinished, state.result) = (true, result)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    package nonisolated(nonsending) func value() async throws(Failure) -> Value {
        try await result().get()
    }

    package nonisolated(nonsending) func result() async -> Result<Value, Failure> {
        await withCheckedContinuation { waiter in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.waiter = waiter }
                return state.isFinished
            }
            if isFinished { waiter.resume() }
        }
        guard let result = state.withLock({ $0.result.take() }) else {
            preconditionFailure("a waiter is resumed with a result")
        }
        return result
    }
}
