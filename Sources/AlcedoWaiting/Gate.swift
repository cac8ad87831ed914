import Dispatch

/// Blocks tasks, threads and scripted responses until a test opens it.
///
/// Initially closed. ``open()`` admits all current and later waiters; ``admit(_:)`` admits a number of them.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var permits = 0
        var arrivals = 0

        mutating func tryPass() -> Bool {
            if isOpen { return true }
            guard permits > 0 else { return false }
            permits -= 1
            return true
        }
    }

    private let state = Monitor(State())

    /// Creates a closed gate without permits.
    public init() {}

    /// Suspends until the gate admits the task, or the task is cancelled.
    public func pass(file: StaticString = #fileID, line: UInt = #line) async {
        arrive()
        await state.wait(file: file, line: line) { $0.tryPass() }
    }

    /// Blocks the thread until the gate admits it; never call it from a task.
    public func wait() {
        arrive()
        let semaphore = DispatchSemaphore(value: 0)
        guard state.enter(when: { $0.tryPass() }, wake: { _ in semaphore.signal() }) != nil else { return }
        semaphore.wait()
    }

    /// Admits all current and later waiters.
    public func open() { state.update { $0.isOpen = true } }

    /// Closes the gate again: later waiters block.
    public func close() { state.update { $0.isOpen = false } }

    /// Adds `count` permits, which current waiters use first.
    public func admit(_ count: Int = 1) { state.update { $0.permits += count } }

    /// The number of waiters so far, admitted or not.
    public var arrivals: Int { state.value.arrivals }

    /// Suspends until ``arrivals`` is at least `count`, or the task is cancelled.
    public func waitForArrivals(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await state.wait(file: file, line: line) { $0.arrivals >= count }
    }

    /// Waits without a thread: calls `wake` when the gate admits it.
    ///
    /// - Returns: `nil` if the gate admits it immediately; `wake` is then never called. Otherwise the ticket for
    ///   ``leave(_:)``.
    package func enter(wake: @escaping @Sendable () -> Void) -> Int? {
        arrive()
        return state.enter(when: { $0.tryPass() }, wake: { if $0 { wake() } })
    }

    package func leave(_ ticket: Int) { state.forget(ticket) }

    private func arrive() { state.update { $0.arrivals += 1 } }
}
