import Dispatch

/// Holds tasks, threads and server replies until a test lets them go on.
///
/// Closed at first. ``open()`` lets everybody through, now and later; ``admit(_:)`` lets a number through.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var permits = 0
        var arrivals = 0

        mutating func letThrough() -> Bool {
            if isOpen { return true }
            guard permits > 0 else { return false }
            permits -= 1
            return true
        }
    }

    private let state = Monitor(State())

    package init() {}

    /// Suspends until the gate lets the task through, or the task is cancelled.
    package func pass() async {
        arrive()
        await state.wait { $0.letThrough() }
    }

    /// Blocks the thread until the gate lets it through; never call it from a task.
    package func wait() {
        arrive()
        let semaphore = DispatchSemaphore(value: 0)
        guard state.enter(when: { $0.letThrough() }, wake: { _ in semaphore.signal() }) != nil else { return }
        semaphore.wait()
    }

    /// Lets all waiters through, and from now on everybody who comes.
    package func open() { state.update { $0.isOpen = true } }

    /// Holds those who come from now on.
    package func close() { state.update { $0.isOpen = false } }

    /// Lets `count` through: waiters first, then those who come.
    package func admit(_ count: Int = 1) { state.update { $0.permits += count } }

    /// How many have come to the gate so far, let through or not.
    package var arrivals: Int { state.value.arrivals }

    /// Suspends until `count` have come to the gate, since it was made.
    package func waitForArrivals(_ count: Int) async {
        await state.wait { $0.arrivals >= count }
    }

    /// Comes to the gate without a thread: `wake` is called when it is let through.
    ///
    /// - Returns: `nil` where it goes through at once: then `wake` is never called. Otherwise the ticket for
    ///   ``leave(_:)``.
    func enter(wake: @escaping @Sendable () -> Void) -> Int? {
        arrive()
        return state.enter(when: { $0.letThrough() }, wake: { if $0 { wake() } })
    }

    /// Goes away without having passed.
    func leave(_ ticket: Int) { state.forget(ticket) }

    private func arrive() { state.update { $0.arrivals += 1 } }
}
