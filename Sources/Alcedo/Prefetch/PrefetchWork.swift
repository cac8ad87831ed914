/// The state of a prefetcher: which sources run, and what became of the others.
struct PrefetchWork {
    let count: Int
    var priority: Float
    var isStarted = false
    var isPaused = false
    private(set) var isFinished = false
    private(set) var next = 0
    var running: [Int: DownloadTask?] = [:]

    /// The sequences that report progress.
    var observers: [AsyncStream<ImagePrefetcher.Progress>.Continuation] = []

    private var skippedCount = 0
    private var failedCount = 0
    private var completedCount = 0

    init(count: Int, priority: Float) {
        self.count = count
        self.priority = priority
    }

    /// Dequeues the next source; nil if there is none, the limit is reached, or the prefetcher is paused.
    mutating func dequeue(limit: Int) -> Int? {
        guard isStarted, !isPaused, running.count < limit, next < count else { return nil }
        defer { next += 1 }
        running[next] = .some(nil)
        return next
    }

    /// Removes a source that has ended, and returns its task, which the caller releases after the lock.
    mutating func end(_ index: Int, _ outcome: ImagePrefetcher.Outcome) -> DownloadTask? {
        switch outcome {
        case .skipped: skippedCount += 1
        case .failed: failedCount += 1
        case .completed: completedCount += 1
        }
        return running.removeValue(forKey: index).flatMap { $0 }
    }

    func progress(of source: Source, _ outcome: ImagePrefetcher.Outcome) -> ImagePrefetcher.Progress {
        ImagePrefetcher.Progress(
            source: source, outcome: outcome, skippedCount: skippedCount, failedCount: failedCount,
            completedCount: completedCount, totalCount: count)
    }

    /// Ends the prefetcher if nothing runs and nothing is left to start; true for the first call that does.
    mutating func finish(isStopped: Bool) -> Bool {
        guard isStarted, !isFinished, running.isEmpty, isStopped || next == count else { return false }
        isFinished = true
        return true
    }
}
