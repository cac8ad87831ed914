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
        case raise
    }

    /// What runs or waits for its turn.
    var byKey: [TransferKey: SessionDataTask] = [:]
    var queue = DownloadQueue()

    /// Joins the transfer of `key`, or makes one.
    mutating func admit(
        _ caller: DownloadCaller,
        to key: TransferKey,
        make: () -> SessionDataTask
    ) -> (SessionDataTask, SessionDataTask.CancelToken, Next) {
        if let task = byKey[key], let token = task.join(caller) {
            return (task, token, caller.options.downloadPriority > task.rank.priority ? .raise : .wait)
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
    private var waiting = PriorityHeap<SessionDataTask>()
    private var arrivals: UInt64 = 0

    /// Whether `task` may start at once; if not, it waits for its turn.
    mutating func enter(_ task: SessionDataTask) -> Bool {
        arrivals += 1
        task.rank = Rank(
            priority: task.rank.priority, sequence: order == .fifo ? arrivals : .max - arrivals)
        guard running < limit else {
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
        while running < limit, let task = waiting.first {
            waiting.remove(task)
            begin(task)
            next.append(task)
        }
        return next
    }

    /// A task is over, whether it ever ran or not.
    mutating func leave(_ task: SessionDataTask) {
        switch task.turn {
        case .running: running -= 1
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

    private mutating func begin(_ task: SessionDataTask) {
        task.turn = .running
        running += 1
    }
}

/// Where a transfer stands with its downloader.
enum DownloadTurn {
    case waiting
    case running
    case over
}
