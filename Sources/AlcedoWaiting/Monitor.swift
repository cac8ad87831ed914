import AlcedoLocks
import Glibc

/// A value behind a lock, with a queue of tasks and threads that wait for conditions on it.
///
/// The other synchronization types here are built on it. Conditions are evaluated in FIFO order, and waiters are woken
/// after the lock is released.
package final class Monitor<Value: Sendable>: Sendable {
    /// Checks the value, and may change it; `true` ends the wait.
    ///
    /// Runs under the lock: straight-line code only.
    package typealias Condition = @Sendable (inout Value) -> Bool

    /// Called at the end of a wait; `isSatisfied` is `false` if the wait was cancelled.
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
            // A condition may change the value so that another one holds.
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

    package var value: Value { withLock { $0.value } }

    /// The result of `look` for the current value.
    package func read<Result: Sendable>(_ look: (Value) -> Result) -> Result {
        withLock { look($0.value) }
    }

    /// Changes the value and wakes the waiters whose condition holds.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, woken) = withLock { state in
            let result = change(&state.value)
            return (result, state.takeSatisfied())
        }
        for waiter in woken { waiter.wake(true) }
        return result
    }

    /// Suspends until `condition` holds, or returns `false` if the task is cancelled.
    ///
    /// A cancelled wait is reported with its place and the value: the test's time limit may have ended it.
    @discardableResult
    package func wait(
        file: StaticString = #fileID, line: UInt = #line, until condition: @escaping Condition
    ) async -> Bool {
        let isSatisfied = await suspend(until: condition)
        if !isSatisfied, getenv("ALCEDOTESTING_WAITS") != nil {
            let state = String(describing: value).prefix(1_000)
            print("Wait cancelled at \(file):\(line), the value is \(state)")
        }
        return isSatisfied
    }

    private func suspend(until condition: @escaping Condition) async -> Bool {
        // Before the wait, because `onCancel` may run before there is a waiter.
        let ticket = newTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = withLock { state -> Bool? in
                    if condition(&state.value) { return true }
                    // `onCancel` may have run before there was a waiter.
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

    /// Calls `wake` once `condition` holds, on the thread that changed the value.
    ///
    /// - Returns: `nil` if it holds already; `wake` is then never called. Otherwise the ticket for
    ///   ``forget(_:)``.
    package func enter(when condition: @escaping Condition, wake: @escaping Wake) -> Int? {
        let ticket = newTicket()
        return withLock { state in
            if condition(&state.value) { return nil }
            state.waiters.append(Waiter(ticket: ticket, condition: condition, wake: wake))
            return ticket
        }
    }

    /// Cancels the wait with this ticket, if it has not ended: calls `wake` with `false`.
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
