import AlcedoLocks
import Dispatch

/// Runs blocks on background threads, a few at a time, in order.
package final class BoundedQueue: Sendable {
    private struct State {
        var waiting = FIFOQueue<@Sendable () -> Void>()

        /// The threads that run no block.
        var idle: [Int]
    }

    /// Serial queues, which Dispatch gives threads of their own.
    ///
    /// Concurrent ones share those of Swift's cooperative pool: blocks that wait for a disk would leave tasks without threads, and busy
    /// tasks the blocks.
    private let threads: [DispatchQueue]
    private let state: Lock<State>

    /// A queue that runs at most `width` blocks at a time.
    package init(label: String, width: Int) {
        threads = (1...max(1, width)).map { DispatchQueue(label: "\(label).\($0)") }
        state = Lock(State(idle: Array(threads.indices.reversed())))
    }

    /// Runs `block` later, on another thread.
    package func async(_ block: @escaping @Sendable () -> Void) {
        let thread = state.withLock { state in
            state.waiting.append(block)
            return state.idle.popLast()
        }
        if let thread { threads[thread].async { [self] in work(on: thread) } }
    }

    private func work(on thread: Int) {
        while let block = next(on: thread) { block() }
    }

    private func next(on thread: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let block = state.waiting.popFirst()
            if block == nil { state.idle.append(thread) }
            return block
        }
    }
}

/// Runs blocks one at a time on threads that it shares.
package final class SerialQueue: Sendable {
    private struct State {
        var waiting = FIFOQueue<@Sendable () -> Void>()
        var isRunning = false
    }

    private let start: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    private let state = Lock(State())

    /// A queue that runs one block at a time on `target`.
    package convenience init(target: BoundedQueue) { self.init { target.async($0) } }

    /// A queue that runs one block at a time where `start` does.
    package init(_ start: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        self.start = start
    }

    /// Runs `block` later, after all earlier blocks.
    package func async(_ block: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(block)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { start { [self] in work() } }
    }

    private func work() {
        while let block = next() { block() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let block = state.waiting.popFirst()
            state.isRunning = block != nil
            return block
        }
    }
}
