import AlcedoLocks
import Synchronization

/// The running loads of a manager, so that it can shut down.
///
/// A load beyond the memory cache costs two atomic operations; one that uses its source is also in a table.
final class ActiveLoads: Sendable {
    private struct State {
        var tasks: [ObjectIdentifier: DownloadTask] = [:]
        var isCancelled = false
        var whenIdle: [@Sendable () -> Void] = []
    }

    /// Set in ``count`` once no further load may start: a bit that no number of loads reaches.
    private static let closed = 1 << 62

    /// The number of running loads.
    private let count = Atomic(0)
    private let state = Lock(State())

    var isClosed: Bool { count.load(ordering: .relaxed) & Self.closed != 0 }

    /// Counts a load; false if no further one may start.
    func enter() -> Bool {
        // Counted before the bit is read: `close` either waits for this load, or has set the bit already.
        guard count.add(1, ordering: .acquiringAndReleasing).newValue & Self.closed != 0 else { return true }
        leave()
        return false
    }

    /// Counts the end of a load.
    func leave() {
        guard count.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed else { return }
        let actions = state.withLock { exchange(&$0.whenIdle, with: []) }
        for action in actions { action() }
    }

    /// Lets no further load start, and runs `action` once none is running.
    func close(then action: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenIdle.append(action) }
        // The call counts as a load, so that its end runs the action if there is no other.
        count.add(1, ordering: .acquiringAndReleasing)
        count.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
        leave()
    }

    /// Adds a load that uses its source; cancels it if all were cancelled.
    func track(_ task: DownloadTask) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.tasks[ObjectIdentifier(task)] = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Removes a load that has ended.
    func untrack(_ task: DownloadTask) {
        let task = state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(task)) }
        withExtendedLifetime(task) {}
    }

    /// Cancels all loads that use their sources, now and later.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return exchange(&state.tasks, with: [:])
        }
        // Outside the lock, which the end of a cancelled load takes.
        for task in tasks.values { task.cancel() }
    }
}
