import AlcedoTransport

/// Which of the downloads that wait for their turn starts first, among those of one priority.
public enum DownloadOrder: Sendable {
    /// The one that was asked for first.
    case fifo
    /// The one that was asked for last: of use where what is asked for last is what is looked at.
    case lifo
}

/// A downloader's transfers; belongs to its lock, as do the tasks' ranks and turns.
struct DownloadTransfers {
    enum Next {
        case start
        case wait
        case join
    }

    /// What runs or waits for its turn.
    var byKey: [TransferKey: SessionDataTask] = [:]
    var queue = DownloadQueue()

    /// Joins the transfer of `key`, or makes one.
    mutating func admit(
        _ caller: DownloadCaller,
        from path: [Backlog],
        to key: TransferKey,
        make: () -> SessionDataTask
    ) -> (SessionDataTask, SessionDataTask.CancelToken, Next) {
        if let task = byKey[key], let token = task.join(caller) {
            task.consumers?.add(path)
            return (task, token, .join)
        }
        let task = make()
        let token = task.join(caller) ?? 0
        byKey[key] = task
        return (task, token, queue.enter(task) ? .start : .wait)
    }

    /// Lets go of a task that is over, and takes out those that may start now.
    mutating func remove(_ task: SessionDataTask) -> [SessionDataTask] {
        if byKey[task.key] === task { byKey[task.key] = nil }
        queue.leave(task)
        return queue.takeNext()
    }
}

/// Which transfers run, and who is next.
struct DownloadQueue {
    var limit = Int.max
    var order = DownloadOrder.fifo

    private var running = 0
    /// Those of them that a consumer may hold back.
    private var consumed: [ObjectIdentifier: SessionDataTask] = [:]
    private var waiting = AdmissionQueue<SessionDataTask>()
    private var arrivals: UInt64 = 0

    /// Whether `task` may start at once; if not, it waits for its turn.
    mutating func enter(_ task: SessionDataTask) -> Bool {
        arrivals += 1
        task.rank = Rank(
            priority: task.rank.priority, sequence: order == .fifo ? arrivals : .max - arrivals)
        guard hasRoom, task.obstacle == nil else {
            task.turn = .waiting
            waiting.insert(task)
            return false
        }
        begin(task)
        return true
    }

    /// Takes those out that may start now.
    mutating func takeNext() -> [SessionDataTask] {
        var next: [SessionDataTask] = []
        while hasRoom, let task = waiting.first() {
            waiting.remove(task)
            begin(task)
            next.append(task)
        }
        return next
    }

    /// A task is over, whether it ever ran or not.
    mutating func leave(_ task: SessionDataTask) {
        switch task.turn {
        case .running:
            running -= 1
            consumed[ObjectIdentifier(task)] = nil
        case .waiting: waiting.remove(task)
        case .over: break
        }
        task.turn = .over
    }

    /// Gives a task another priority.
    mutating func reorder(_ task: SessionDataTask, priority: Float) {
        task.rank = Rank(priority: priority, sequence: task.rank.sequence)
        if task.turn == .waiting { waiting.update(task) }
    }

    /// Whether another may run; those that wait for their consumer meanwhile take no other's place.
    private var hasRoom: Bool {
        running < limit || running - consumed.values.count { $0.obstacle != nil } < limit
    }

    private mutating func begin(_ task: SessionDataTask) {
        task.turn = .running
        running += 1
        if task.consumers != nil { consumed[ObjectIdentifier(task)] = task }
    }
}

/// Where a transfer stands with its downloader.
enum DownloadTurn {
    case waiting
    case running
    case over
}
