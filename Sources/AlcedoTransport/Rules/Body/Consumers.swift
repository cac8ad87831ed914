import AlcedoLocks

/// Those who wait for a transfer's body: it may start if one of them has room for it.
package final class Consumers: Sendable {
    /// For each who waits, what the body has to pass.
    private let paths: Lock<[[Backlog]]>

    /// One who waits, and the backlogs on the body's way there.
    package init(_ path: [Backlog]) { paths = Lock([path]) }

    /// Adds somebody who waits.
    package func add(_ path: [Backlog]) {
        paths.withLock { paths in
            guard !paths.contains(where: { $0.elementsEqual(path, by: ===) }) else { return }
            paths.append(path)
        }
    }

    /// The full backlog that keeps the transfer from starting; nil if it may start.
    package var obstacle: Backlog? {
        let paths = paths.withLock { $0 }
        var first: Backlog?
        for path in paths {
            guard let full = path.first(where: \.isFull) else { return nil }
            first = first ?? full
        }
        return first
    }

    /// Whether room on any of several paths is enough.
    package var hasSeveralPaths: Bool { paths.withLock { $0.count } > 1 }

    /// Counts so many bytes in all of the backlogs, until those who get them do so themselves.
    func hold(_ count: Int) -> [Backlog.Held] { backlogs.map { $0.hold(count) } }

    /// Each of them once.
    private var backlogs: [Backlog] {
        paths.withLock { $0 }.joined().reduce(into: []) { all, backlog in
            if !all.contains(where: { $0 === backlog }) { all.append(backlog) }
        }
    }

    /// Calls `action` when one of the backlogs becomes full or has room again.
    package func observe(for observer: AnyObject, _ action: @escaping @Sendable () -> Void) {
        for backlog in backlogs { backlog.observe(for: observer, action) }
    }
}
