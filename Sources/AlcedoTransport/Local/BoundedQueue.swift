import AlcedoLocks
import Dispatch

/// Runs blocks on background threads, a few at a time, in order.
package final class BoundedQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var first = 0
        var running = 0

        mutating func takeFirst() -> (@Sendable () -> Void)? {
            guard first < waiting.count else { return nil }
            let block = waiting[first]
            waiting[first] = {}
            first += 1
            if first == waiting.count || first == 1024 {
                waiting.removeFirst(first)
                first = 0
            }
            return block
        }
    }

    private let width: Int
    private let threads: DispatchQueue
    private let state = Lock(State())

    /// A queue that runs at most `width` blocks at a time.
    package init(label: String, width: Int) {
        self.width = max(1, width)
        threads = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Runs `block` later, on another thread.
    package func async(_ block: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.waiting.append(block)
            guard state.running < width else { return false }
            state.running += 1
            return true
        }
        if needsThread { threads.async { [self] in work() } }
    }

    private func work() {
        while let block = next() { block() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let block = state.takeFirst()
            if block == nil { state.running -= 1 }
            return block
        }
    }
}

/// Runs blocks one at a time on a shared ``BoundedQueue``.
package final class SerialQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let target: BoundedQueue
    private let state = Lock(State())

    /// A queue that runs one block at a time on `target`.
    package init(target: BoundedQueue) { self.target = target }

    /// Runs `block` later, after all earlier blocks.
    package func async(_ block: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.waiting.append(block)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { target.async { [self] in work() } }
    }

    private func work() {
        while let block = next() { block() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isRunning = false
            return nil
        }
    }
}
