import AlcedoLocks

/// A value behind a lock, and the tasks and threads that wait for it to become something.
///
/// Every other waiting tool here is a few lines over this one. Waiters are asked in the order in which they came,
/// and woken after the lock is released.
package final class Monitor<Value: Sendable>: Sendable {
    /// Looks at the value, and takes from it what it came for; `true` ends the wait.
    ///
    /// Runs under the lock: straight-line code only.
    package typealias Condition = @Sendable (inout Value) -> Bool

    /// Told whether the condition held; `false` where the wait was given up.
    package typealias Wake = @Sendable (_ isSatisfied: Bool) -> Void

    private struct Waiter: Sendable {
        let ticket: Int
        let condition: Condition
        let wake: Wake
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var lastTicket = 0

        mutating func takeSatisfied() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            var satisfied: [Waiter] = []
            var foundOne = true
            while foundOne {
                let before = waiters.count
                var remaining: [Waiter] = []
                for waiter in waiters {
                    if waiter.condition(&value) { satisfied.append(waiter) } else { remaining.append(waiter) }
                }
                waiters = remaining
                foundOne = waiters.count < before
            }
            return satisfied
        }
    }

    private let state: Lock<State>

    package init(_ value: Value) {
        state = Lock(State(value: value))
    }

    /// The value as it is now.
    package var value: Value { withLock { $0.value } }

    /// What `look` makes of the value as it is now.
    package func read<Result: Sendable>(_ look: (Value) -> Result) -> Result {
        withLock { look($0.value) }
    }

    /// Changes the value and wakes whoever waited for that.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, woken) = withLock { state in
            let result = change(&state.value)
            return (result, state.takeSatisfied())
        }
        for waiter in woken { waiter.wake(true) }
        return result
    }

    /// Suspends until `condition` holds: `true`; or until the task is cancelled: `false`.
    @discardableResult
    package func wait(until condition: @escaping Condition) async -> Bool {
        let ticket = newTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = withLock { state -> Bool? in
                    if condition(&state.value) { return true }
                    if Task.isCancelled { return false }
                    state.waiters.append(
                        Waiter(ticket: ticket, condition: condition) { continuation.resume(returning: $0) }
                    )
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            forget(ticket)
        }
    }

    /// Calls `wake` once `condition` holds, on whichever thread made it so.
    ///
    /// - Returns: `nil` where it holds already: then `wake` is never called. Otherwise the ticket for
    ///   ``forget(_:)``.
    package func enter(when condition: @escaping Condition, wake: @escaping Wake) -> Int? {
        let ticket = newTicket()
        return withLock { state in
            if condition(&state.value) { return nil }
            state.waiters.append(Waiter(ticket: ticket, condition: condition, wake: wake))
            return ticket
        }
    }

    /// Ends the wait that has this ticket, if it is still going on: it is woken with `false`.
    package func forget(_ ticket: Int) {
        let waiter = withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.wake(false)
    }

    private func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    private func newTicket() -> Int {
        withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }
}
