import AlcedoLocks
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

    /// Bytes of the transfers that have ended.
    private(set) var receivedBytes = 0

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
    mutating func remove(_ task: SessionDataTask) -> DownloadQueue.Next {
        if byKey[task.key] === task { byKey[task.key] = nil }
        if task.queueState != .ended { receivedBytes += Int(task.received) }
        queue.remove(task)
        return queue.takeNext()
    }
}

/// Limits how many transfers run and how fast they start, and orders the others.
struct DownloadQueue {
    /// What to do after a change.
    struct Next {
        var tasks: [SessionDataTask] = []

        /// The timer to start; nil if none is needed.
        var timer: StartTimer?
    }

    var limit = Int.max
    var order = DownloadOrder.fifo

    /// The start rate; nil for no limit.
    var bucket: StartBucket?

    /// The timer that runs; one at most.
    var timer: StartTimer?
    var clock = DownloadClock()

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
        // With a start rate, a new transfer must not take the token that a queued one waits for.
        guard hasRoom, task.blocker == nil, bucket == nil || waiting.first() == nil && takeToken() else {
            task.queueState = .queued
            waiting.insert(task)
            return false
        }
        run(task)
        return true
    }

    /// Removes and returns the transfers that may start now.
    mutating func takeNext() -> Next {
        var next = Next()
        while hasRoom, let task = waiting.first() {
            guard takeToken() else {
                guard timer == nil, let bucket else { break }
                timer = StartTimer(delay: bucket.delay(at: clock.now()))
                next.timer = timer
                break
            }
            waiting.remove(task)
            run(task)
            next.tasks.append(task)
        }
        return next
    }

    /// Why transfers wait that no consumer blocks.
    var waitingFor: String {
        guard hasRoom, let rate = bucket?.rate else { return "one of \(limit) downloads at a time to end" }
        return "the start rate of \(rate.perSecond) downloads per second"
    }

    /// Whether the start rate allows a start, which then counts.
    private mutating func takeToken() -> Bool { bucket?.take(at: clock.now()) ?? true }

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

enum DownloadQueueState {
    case queued
    case running
    case ended
}
