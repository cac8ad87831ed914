import AlcedoLocks
public import Foundation
import FoundationNetworking
import Synchronization

/// Loads images into the caches before they are needed.
///
/// Its priority is 0.25 unless the options set one; a coalesced load of higher priority raises it. Cached sources are
/// skipped, unless the options contain `forceRefresh`. Cache and downloader are the options', else those that the
/// shared manager has when the prefetcher is created; its default options have no effect. A source is reported once the
/// caches have it, the disk included. A prefetcher runs once and stays alive until it ends, but not while it is paused
/// and no load runs. Only running sources take memory beyond the reported lists.
///
/// Safe because all mutable state is behind locks.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    let count: Int
    let source: @Sendable (Int) -> Source
    let report: any PrefetchReporting
    let plan: PrefetchPlan
    let queue = DispatchQueue(label: "alcedo.prefetcher")
    let work: Lock<PrefetchWork>
    let isStopped = Atomic(false)
    private let concurrency = Lock(5)

    init(
        count: Int,
        options: KingfisherParsedOptionsInfo,
        report: any PrefetchReporting,
        source: @escaping @Sendable (Int) -> Source
    ) {
        self.count = count
        self.report = report
        self.source = source
        let plan = PrefetchPlan(options)
        self.plan = plan
        work = Lock(PrefetchWork(count: count, priority: plan.options.downloadPriority))
    }

    /// The number of concurrent loads, 5 by default and at least 1; can be changed at any time.
    public var maxConcurrentDownloads: Int {
        get { concurrency.withLock { $0 } }
        set { concurrency.withLock { $0 = newValue } }
    }

    /// The priority of the loads, from 0 to 1; the options' `downloadPriority`, or 0.25.
    ///
    /// Can be changed at any time, for running loads too: raise it for what is about to be visible.
    public var priority: Float {
        get { work.withLock { $0.priority } }
        set {
            work.withLock { $0.priority = newValue }
            queue.async { [self] in
                let (tasks, priority) = work.withLock { (Array($0.running.values), $0.priority) }
                for task in tasks { task?.priority = priority }
            }
        }
    }

    /// Whether ``pause()`` was called, and not ``resume()`` since.
    public var isPaused: Bool { work.withLock { $0.isPaused } }

    /// How many sources were started, and how many there are.
    public var description: String {
        "ImagePrefetcher(started: \(work.withLock { $0.next }) of \(count))"
    }

    /// Starts in the background; a second call has no effect.
    ///
    /// A prefetcher that was stopped before reports all sources as failed.
    public func start() {
        queue.async { [self] in
            let isFirst = work.withLock { work in
                defer { work.isStarted = true }
                return !work.isStarted
            }
            if isFirst { startNext() }
        }
    }

    /// Starts no further loads until ``resume()``; running loads continue and are reported.
    ///
    /// Can be called before ``start()`` too. A paused prefetcher that the program releases never ends.
    public func pause() { work.withLock { $0.isPaused = true } }

    public func resume() {
        work.withLock { $0.isPaused = false }
        queue.async { [self] in startNext() }
    }

    /// Cancels the running loads; they and all remaining sources are reported as failed, also while it is paused.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        queue.async { [self] in
            for task in work.withLock({ Array($0.running.values) }) { task?.cancel() }
            startNext()
        }
    }
}

extension ImagePrefetcher {
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls, options: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            count: resources.count,
            options: .forPrefetching(options),
            report: PrefetchReport(resources, progress: progressBlock, completion: completionHandler)
        ) { resources[$0].convertToSource() }
    }

    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherSourceProgressBlock? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            count: sources.count,
            options: .forPrefetching(options),
            report: PrefetchReport(sources, progress: progressBlock, completion: completionHandler)
        ) { sources[$0] }
    }

    // MARK: - Initialisers whose trailing closure is the completion handler

    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(urls: urls, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: resources, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            sources: sources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    // MARK: - For views

    /// Creates a prefetcher of one source with the options of a view, into memory too, at half of the view's priority.
    package convenience init(_ source: Source, forViewWith options: KingfisherParsedOptionsInfo) {
        var options = options
        options.targetCache = options.targetCache ?? KingfisherManager.shared.cache
        options.originalCache = options.originalCache ?? options.targetCache
        options.downloader = options.downloader ?? KingfisherManager.shared.downloader
        options.downloadPriority /= 2
        options.alsoPrefetchToMemory = true
        self.init(
            count: 1, options: options, report: PrefetchReport([source], progress: nil, completion: nil)
        ) { _ in source }
    }
}

extension KingfisherParsedOptionsInfo {
    fileprivate static func forPrefetching(_ options: KingfisherOptionsInfo?) -> Self {
        var options = Self(
            [
                .targetCache(KingfisherManager.shared.cache),
                .downloader(KingfisherManager.shared.downloader),
                .downloadPriority(URLSessionTask.lowPriority),
            ] + (options ?? []))
        // Damage has to be found now: it may be days until the image is shown.
        options.checksPixels = true
        return options
    }
}

extension ImagePrefetcher {
    /// What became of a source.
    public enum Outcome: Sendable {
        /// The cache had it.
        case skipped

        /// It was loaded, and the caches have it.
        case completed

        /// It could not be loaded, or its server forbids to store it.
        case failed(KingfisherError)
    }

    /// A prefetcher's progress after one more source.
    public struct Progress: Sendable {
        public let source: Source
        public let outcome: Outcome
        public let skippedCount: Int
        public let failedCount: Int
        public let completedCount: Int
        public let totalCount: Int
        public var finishedCount: Int { skippedCount + failedCount + completedCount }
    }

    /// Starts, and returns the progress after each source, in order of their ends; the sequence ends with the last one.
    ///
    /// The prefetcher stops if the task that iterates is cancelled, or if the loop is left and the sequence released. After
    /// ``stop()`` the sequence ends early: sources that were not started are not part of it. A prefetcher that runs already
    /// reports the sources that end from now on. Needs no main queue; the progress block and the completion handler are
    /// called too.
    public func run() -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self)
        continuation.onTermination = { [self] reason in
            if case .cancelled = reason { stop() }
        }
        let isFinished = work.withLock { work in
            if !work.isFinished { work.observers.append(continuation) }
            return work.isFinished
        }
        if isFinished { continuation.finish() } else { start() }
        return stream
    }

    // MARK: - On the queue

    /// Starts sources up to the limit; ends when none is left or running.
    func startNext() {
        let limit = max(1, maxConcurrentDownloads)
        while !isStopped.load(ordering: .acquiring), let index = work.withLock({ $0.dequeue(limit: limit) }) {
            prefetch(index)
        }
        let hasStopped = isStopped.load(ordering: .acquiring)
        let (isFinished, remaining, observers) = work.withLock { work in
            let isFinished = work.finish(isStopped: hasStopped)
            return (isFinished, work.next..<count, isFinished ? exchange(&work.observers, with: []) : [])
        }
        guard isFinished else { return }
        report.finish(failing: remaining)
        for observer in observers { observer.finish() }
    }

    private func prefetch(_ index: Int) {
        let source = source(index)
        let isRejected = plan.options.downloader?.rejection(of: source) != nil
        guard plan.options.reads([.memory, .disk]), !isRejected else {
            return load(source, index, isCached: false)
        }
        plan.findCached(source, callbackQueue: .dispatch(queue)) { [self] cached in
            if cached == .usable, !plan.options.alsoPrefetchToMemory {
                end(source, index, .skipped)
            } else {
                load(source, index, isCached: cached != .no)
            }
        }
    }

    private func load(_ source: Source, _ index: Int, isCached: Bool) {
        let storeError = Lock<KingfisherError?>(nil)
        var options = plan.options
        options.downloadPriority = work.withLock { $0.priority }
        var context = plan.context
        context.stored = { [plan] result in
            guard case .failure(let error) = result.diskCacheResult else { return }
            // Without the disk, memory has the image.
            if plan.isForDiskOnly || error.isStoringForbidden { storeError.withLock { $0 = error } }
        }
        let load = ImageLoad(of: source, options: options, context: context) {
            [self] result in
            let outcome: Outcome =
                if case .failure(let error) = result {
                    .failed(error)
                } else if let error = storeError.withLock({ $0 }) {
                    .failed(error)
                } else {
                    isCached && (try? result.get())?.cacheType.cached == true ? .skipped : .completed
                }
            queue.async { [self] in end(source, index, outcome) }
        }
        work.withLock { $0.running[index] = load.handle }
        // The cache may have responded only after `stop()` had cancelled the loads that ran then.
        if isStopped.load(ordering: .acquiring) { load.handle.cancel() }
        _ = load.start()
    }

    private func end(_ source: Source, _ index: Int, _ outcome: Outcome) {
        let (task, observers, progress) = work.withLock { work in
            let task = work.end(index, outcome)
            return (task, work.observers.unshared, work.progress(of: source, outcome))
        }
        withExtendedLifetime(task) {}
        report.add(index, outcome)
        for observer in observers { observer.yield(progress) }
        startNext()
    }
}

extension KingfisherError {
    fileprivate var isStoringForbidden: Bool {
        if case .cacheError(reason: .storingForbidden) = self { true } else { false }
    }
}

/// The state of a prefetcher: which sources run, and what became of the others.
struct PrefetchWork {
    let count: Int
    var priority: Float
    var isStarted = false
    var isPaused = false
    private(set) var isFinished = false
    private(set) var next = 0
    /// The tasks of running sources; nil while a cache is looked up.
    var running: [Int: DownloadTask?] = [:]
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
