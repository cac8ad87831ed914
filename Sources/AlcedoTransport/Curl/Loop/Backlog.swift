import AlcedoLocks

/// Bytes that have come and wait for one consumer: while they are too many, no further transfer for it starts.
///
/// Otherwise a server that is faster than the consumer would fill the memory. Transfers that have started go on. A
/// transport has a backlog for what waits to be decoded or stored; a consumer that belongs to the program, such as a
/// queue, has one of its own, so that it holds back nobody else.
package final class Backlog: Sendable {
    private struct State {
        var byteCount = 0
        /// Told when the backlog becomes full, and when there is room again.
        var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    /// From so many bytes on it is full.
    package let limit: Int

    /// What its bytes wait for, to be put after “for”.
    package let name: String

    /// What it belongs to, which lives as long as it does.
    private let owner: (any AnyObject & Sendable)?
    private let state = Lock(State())

    /// A backlog that is full from `limit` bytes on.
    package init(limit: Int, name: String, owner: (any AnyObject & Sendable)? = nil) {
        self.limit = limit
        self.name = name
        self.owner = owner
    }

    /// Whether nothing more should come.
    package var isFull: Bool { isFull(with: 0) }

    /// Whether nothing more should come, if `more` bytes are on the way to those who hold them.
    func isFull(with more: Int) -> Bool { state.withLock { $0.byteCount } + more >= limit }

    /// Has `action` called whenever it becomes full or has room again, on any thread; one for each `observer`.
    package func observe(for observer: AnyObject, _ action: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(observer)
        let old = state.withLock { state in
            defer { state.observers[key] = action }
            return state.observers[key]
        }
        withExtendedLifetime(old) {}
    }

    /// Counts so many bytes until they are let go of.
    package func hold(_ count: Int) -> Held {
        change(by: count)
        return Held(count, in: self)
    }

    private func change(by count: Int) {
        let actions: [@Sendable () -> Void] = state.withLock { state in
            let wasFull = state.byteCount >= limit
            state.byteCount += count
            // Copied, as what shares the dictionary's memory must not leave the lock (docs/decisions/0009).
            return wasFull == (state.byteCount >= limit) ? [] : Array(state.observers.values)
        }
        for action in actions { action() }
    }

    /// A body or a file that waits.
    package final class Held: Sendable {
        private let backlog: Backlog
        private let byteCount: Lock<Int>

        fileprivate init(_ byteCount: Int, in backlog: Backlog) {
            self.byteCount = Lock(byteCount)
            self.backlog = backlog
        }

        deinit { release() }

        /// It waits no longer; may be called again.
        package func release() {
            let count = byteCount.withLock { count in
                defer { count = 0 }
                return count
            }
            if count > 0 { backlog.change(by: -count) }
        }
    }
}
