import AlcedoTransport

/// The order in which queued downloads of one priority start.
public enum DownloadOrder: Sendable {
    /// First in, first out.
    case fifo
    /// Last in, first out: for views that show the latest requests.
    case lifo
}

/// A downloader's transfers; guarded by its lock, as are the tasks' ranks and queue states.
struct DownloadRegistry {
    /// What happens to a new caller.
    enum Admission {
        case start
        case wait
        case coalesce
    }

    /// The transfers that run or are queued.
    var byKey: [CoalescingKey: SessionDataTask] = [:]
    var queue = DownloadQueue()

    /// Adds the caller to the transfer of `key`, or to a new one.
    mutating func coalesce(
        _ caller: DownloadCaller,
        from path: [Backpressure],
        to key: CoalescingKey,
        make: () -> SessionDataTask
    ) -> (SessionDataTask, SessionDataTask.CancelToken, Admission) {
        if let task = byKey[key], let token = task.join(caller) {
            task.consumers?.add(path)
            return (task, token, .coalesce)
        }
        let task = make()
        let token = task.join(caller) ?? 0
        byKey[key] = task
        return (task, token, queue.admit(task) ? .start : .wait)
    }

    /// Removes a task that has ended, and returns those that may start now.
    mutating func remove(_ task: SessionDataTask) -> [SessionDataTask] {
        if byKey[task.key] === task { byKey[task.key] = nil }
        queue.remove(task)
        return queue.takeNext()
    }
}

/// Limits how many transfers run, and orders the others.
struct DownloadQueue {
    var limit = Int.max
    var order = DownloadOrder.fifo

    private var running = 0
    /// Running transfers with consumers, whose backpressure can block them.
    private var consumed: [ObjectIdentifier: SessionDataTask] = [:]
    private var waiting = AdmissionQueue<SessionDataTask>()
    private var arrivals: UInt64 = 0

    /// Whether `task` may start at once; if not, it is queued.
    mutating func admit(_ task: SessionDataTask) -> Bool {
        arrivals += 1
        task.rank = Rank(
            priority: task.rank.priority, sequence: order == .fifo ? arrivals : .max - arrivals)
        guard hasRoom, task.blocker == nil else {
            task.queueState = .queued
            waiting.insert(task)
            return false
        }
        run(task)
        return true
    }

    /// Removes and returns the transfers that may start now.
    mutating func takeNext() -> [SessionDataTask] {
        var next: [SessionDataTask] = []
        while hasRoom, let task = waiting.first() {
            waiting.remove(task)
            run(task)
            next.append(task)
        }
        return next
    }

    /// Removes a task that has ended, whether it ran or not.
    mutating func remove(_ task: SessionDataTask) {
        switch task.queueState {
        case .running:
            running -= 1
            consumed[ObjectIdentifier(task)] = nil
        case .queued: waiting.remove(task)
        case .ended: break
        }
        task.queueState = .ended
    }

    /// Changes a task's priority.
    mutating func reorder(_ task: SessionDataTask, priority: Float) {
        task.rank = Rank(priority: priority, sequence: task.rank.sequence)
        if task.queueState == .queued { waiting.update(task) }
    }

    /// Whether another may run; transfers that backpressure blocks do not count.
    private var hasRoom: Bool {
        running < limit || running - consumed.values.count { $0.blocker != nil } < limit
    }

    private mutating func run(_ task: SessionDataTask) {
        task.queueState = .running
        running += 1
        if task.consumers != nil { consumed[ObjectIdentifier(task)] = task }
    }
}

/// The state of a transfer in its downloader's queue.
enum DownloadQueueState {
    case queued
    case running
    case ended
}
