import AlcedoLocks
public import Foundation
import FoundationNetworking
import Synchronization

/// Loads images into the caches before they are needed.
///
/// Its priority is 0.25 unless the options set one; a coalesced load of higher priority raises it. Cached sources are
/// skipped, unless the options contain `forceRefresh`. The options set cache and downloader; the shared manager's default
/// options have no effect. A prefetcher runs once and stays alive until it ends. Only running sources take
/// memory beyond the reported lists.
///
/// Safe because all mutable state is behind locks.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    private struct Work {
        var isStarted = false
        var next = 0
        var running: [Int: DownloadTask?] = [:]

        /// Dequeues the next source; nil if there is none or the limit is reached.
        mutating func dequeue(limit: Int, count: Int) -> Int? {
            guard running.count < limit, next < count else { return nil }
            defer { next += 1 }
            running[next] = .some(nil)
            return next
        }
    }

    private let count: Int
    private let source: @Sendable (Int) -> Source
    private let options: KingfisherParsedOptionsInfo
    private let report: any PrefetchReporting
    private let queue = DispatchQueue(label: "alcedo.prefetcher")
    private let work = Lock(Work())
    private let isStopped = Atomic(false)
    private let concurrency = Lock(5)

    /// Makes a prefetcher of URLs.
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

    /// Makes a prefetcher of resources.
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            count: resources.count,
            options: options,
            report: PrefetchReport(resources, progress: progressBlock, completion: completionHandler)
        ) { resources[$0].convertToSource() }
    }

    /// Makes a prefetcher of sources.
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherSourceProgressBlock? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            count: sources.count,
            options: options,
            report: PrefetchReport(sources, progress: progressBlock, completion: completionHandler)
        ) { sources[$0] }
    }

    private init(
        count: Int,
        options: KingfisherOptionsInfo?,
        report: any PrefetchReporting,
        source: @escaping @Sendable (Int) -> Source
    ) {
        self.count = count
        self.report = report
        self.source = source
        var parsed = KingfisherParsedOptionsInfo(
            [.targetCache(.default), .downloader(.default), .downloadPriority(URLSessionTask.lowPriority)]
                + (options ?? []))
        parsed.callbackQueue = .untouch
        parsed.context.completionMayBlock = false
        self.options = parsed.reducing()
    }

    /// The number of concurrent loads, 5 by default and at least 1; can be changed at any time.
    public var maxConcurrentDownloads: Int {
        get { concurrency.withLock { $0 } }
        set { concurrency.withLock { $0 = newValue } }
    }

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

    /// Cancels the running loads; they and all remaining sources are reported as failed.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        queue.async { [self] in
            for task in work.withLock({ Array($0.running.values) }) { task?.cancel() }
        }
    }
}

// MARK: - Initialisers whose trailing closure is the completion handler

extension ImagePrefetcher {
    /// Makes a prefetcher of URLs.
    public convenience init(
        urls: [URL],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(urls: urls, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Makes a prefetcher of resources.
    public convenience init(
        resources: [any Resource],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: resources, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Makes a prefetcher of sources.
    public convenience init(
        sources: [Source],
        options: KingfisherOptionsInfo? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(
            sources: sources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }
}

// MARK: - Work on the queue

extension ImagePrefetcher {
    /// Starts sources up to the limit; ends when none is left or running.
    private func startNext() {
        let limit = max(1, maxConcurrentDownloads)
        while !isStopped.load(ordering: .acquiring),
            let index = work.withLock({ $0.dequeue(limit: limit, count: count) })
        {
            prefetch(index)
        }
        let (isIdle, remaining) = work.withLock { ($0.running.isEmpty, $0.next..<count) }
        if isIdle { report.finish(failing: remaining) }
    }

    private func prefetch(_ index: Int) {
        let source = source(index)
        let isRefused = options.downloader?.refusal(of: source) != nil
        guard options.reads([.memory, .disk]), !isRefused, let cache = options.targetCache else {
            return load(source, index, isCached: false)
        }
        // Asynchronously, because the disk may stall.
        cache.imageCachedTypeAsync(
            forKey: source.cacheKey,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension,
            callbackQueue: .dispatch(queue)
        ) { [self] type in
            if type.cached, !options.alsoPrefetchToMemory {
                end(index, .skipped)
                startNext()
            } else {
                load(source, index, isCached: type.cached)
            }
        }
    }

    private func load(_ source: Source, _ index: Int, isCached: Bool) {
        let load = ImageLoad(of: source, options: options, downloadTaskUpdated: nil) { [self] result in
            let outcome = result.outcome(wasCached: isCached)
            queue.async { [self] in
                end(index, outcome)
                startNext()
            }
        }
        work.withLock { $0.running[index] = load.handle }
        if isStopped.load(ordering: .acquiring) { load.handle.cancel() }
        _ = load.start()
    }

    private func end(_ index: Int, _ outcome: PrefetchOutcome) {
        let task = work.withLock { $0.running.removeValue(forKey: index) }
        withExtendedLifetime(task) {}
        report.add(index, outcome)
    }
}

extension Result where Success == RetrieveImageResult {
    fileprivate func outcome(wasCached: Bool) -> PrefetchOutcome {
        switch self {
        case .success: wasCached ? .skipped : .completed
        case .failure: .failed
        }
    }
}
