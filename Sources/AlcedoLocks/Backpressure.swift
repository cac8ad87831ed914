/// Counts the received bytes that one consumer has yet to process; above a limit no further transfer for it starts.
///
/// Bounds the memory if a server is faster than the consumer. Transfers that have started continue. A transport has one
/// for the bodies to be decoded or stored; each consumer of the program's, such as a queue, has its own, so that it blocks
/// no other loads.
@usableFromInline package final class Backpressure: Sendable {
    private struct State {
        var byteCount = 0
        /// Called when the limit is reached, and when there is room again.
        var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    /// The number of bytes from which it is full.
    package let limit: Int

    /// What its bytes wait for, as the object of “waited for” in an error.
    package let name: String

    /// The consumer, kept alive.
    private let owner: (any AnyObject & Sendable)?
    private let state = Lock(State())

    /// Backpressure that is full from `limit` bytes on.
    package init(limit: Int, name: String, owner: (any AnyObject & Sendable)? = nil) {
        self.limit = limit
        self.name = name
        self.owner = owner
    }

    /// Whether no further transfer may start.
    @usableFromInline package var isFull: Bool { isFull(with: 0) }

    /// Whether no further transfer may start once `more` bytes are reserved.
    package func isFull(with more: Int) -> Bool { state.withLock { $0.byteCount } + more >= limit }

    /// Calls `action` whenever it becomes full or has room again, on any thread; one action for each `observer`.
    package func observe(for observer: AnyObject, _ action: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(observer)
        let old = state.withLock { state in
            defer { state.observers[key] = action }
            return state.observers[key]
        }
        // The replaced action is released here, after the lock: that may free what it has captured.
        withExtendedLifetime(old) {}
    }

    /// Counts `count` bytes until the reservation is released.
    package func reserve(_ count: Int) -> Reservation {
        change(by: count)
        return Reservation(count, in: self)
    }

    private func change(by count: Int) {
        let actions: [@Sendable () -> Void] = state.withLock { state in
            let wasFull = state.byteCount >= limit
            state.byteCount += count
            // Copied, as shared storage must not leave the lock (docs/decisions/0009).
            return wasFull == (state.byteCount >= limit) ? [] : Array(state.observers.values)
        }
        for action in actions { action() }
    }

    /// The bytes of one body or file.
    package final class Reservation: Sendable {
        private let backpressure: Backpressure
        private let byteCount: Lock<Int>

        fileprivate init(_ byteCount: Int, in backpressure: Backpressure) {
            self.byteCount = Lock(byteCount)
            self.backpressure = backpressure
        }

        deinit { release() }

        /// Stops counting the bytes; later calls do nothing.
        package func release() {
            let count = byteCount.withLock { count in
                defer { count = 0 }
                return count
            }
            if count > 0 { backpressure.change(by: -count) }
        }
    }
}
