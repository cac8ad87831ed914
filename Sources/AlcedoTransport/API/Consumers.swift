package import AlcedoLocks

/// The consumers of a transfer's body: the transfer may start if one of them has room.
package final class Consumers: Sendable {
    /// For each consumer the limits that the body passes.
    private let paths: Lock<[[Backpressure]]>

    /// One consumer, behind the limits of `path`.
    package init(_ path: [Backpressure]) { paths = Lock([path]) }

    package func add(_ path: [Backpressure]) {
        paths.withLock { paths in
            guard !paths.contains(where: { $0.elementsEqual(path, by: ===) }) else { return }
            paths.append(path)
        }
    }

    /// The full limit that keeps the transfer from starting; nil if it may start.
    package var blocker: Backpressure? {
        var first: Backpressure?
        for path in copy {
            guard let full = path.first(where: \.isFull) else { return nil }
            first = first ?? full
        }
        return first
    }

    private var copy: [[Backpressure]] { paths.withLock { $0.unshared } }

    /// Whether room on one of several paths is enough.
    package var hasSeveralPaths: Bool { paths.withLock { $0.count } > 1 }

    /// Reserves `count` bytes in all limits until the consumers make their own reservations.
    func reserve(_ count: Int) -> [Backpressure.Reservation] { limits.map { $0.reserve(count) } }

    /// Each of them once.
    private var limits: [Backpressure] {
        copy.joined().reduce(into: []) { all, limit in
            if !all.contains(where: { $0 === limit }) { all.append(limit) }
        }
    }

    /// Calls `action` when one of the limits is reached or has room again.
    package func observe(for observer: AnyObject, _ action: @escaping @Sendable () -> Void) {
        for limit in limits { limit.observe(for: observer, action) }
    }
}
