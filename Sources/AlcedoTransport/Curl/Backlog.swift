import Synchronization

/// Bodies that have come and wait to be made into something, and files made of them that wait for the disk: while they are
/// too many bytes, no further transfer starts.
///
/// Otherwise a server that is faster than the decoder or the disk would fill the memory. Those that have started go on.
package final class Backlog: Sendable {
    /// From so many bytes on it is full.
    private let limit: Int
    private let byteCount = Atomic(0)
    private let inbox: Inbox

    init(limit: Int, inbox: Inbox) {
        self.limit = limit
        self.inbox = inbox
    }

    /// Whether nothing more should come, if `more` bytes are on the way to those who hold them.
    func isFull(with more: Int) -> Bool { byteCount.load(ordering: .relaxed) + more >= limit }

    /// Counts so many bytes until they are let go of.
    package func hold(_ count: Int) -> Held {
        byteCount.add(count, ordering: .relaxed)
        return Held(count, in: self)
    }

    private func release(_ count: Int) {
        let (before, after) = byteCount.subtract(count, ordering: .relaxed)
        if before >= limit, after < limit { _ = inbox.post(.admit) }
    }

    /// A body or a file that waits.
    package final class Held: Sendable {
        private let backlog: Backlog
        private let byteCount: Atomic<Int>

        fileprivate init(_ byteCount: Int, in backlog: Backlog) {
            self.byteCount = Atomic(byteCount)
            self.backlog = backlog
        }

        deinit { release() }

        /// It waits no longer; may be called again.
        package func release() {
            let count = byteCount.exchange(0, ordering: .relaxed)
            if count > 0 { backlog.release(count) }
        }
    }
}
