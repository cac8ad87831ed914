import AlcedoLocks
public import Foundation
import FoundationNetworking
import Synchronization

/// Loads images into the caches before anybody needs them.
///
/// Its priority is low (0.25) unless the options name one: what is asked for elsewhere goes first, and a load that joins
/// one of these raises it. What a cache has is skipped, unless the options say `forceRefresh`. The options name cache and downloader; the
/// shared manager's default options do not count. Only as many sources as run at a time take memory beyond the lists
/// that are reported. A prefetcher works once: it can't be started again. It stays alive while it works. Safe because
/// what changes is behind a lock or belongs to one queue.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    /// What belongs to the queue.
    private struct Work {
        var isStarted = false
        var next = 0
        var running: [Int: DownloadTask?] = [:]

        /// Takes the next source, if there is one and it may run.
        mutating func begin(limit: Int, count: Int) -> Int? {
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
        parsed.completionMayBlock = false
        self.options = parsed
    }

    /// How many sources are loaded at a time, 5 by default; less than 1 counts as 1.
    ///
    /// May be set at any time.
    public var maxConcurrentDownloads: Int {
        get { concurrency.withLock { $0 } }
        set { concurrency.withLock { $0 = newValue } }
    }

    /// Says how many sources there are, and how many have been begun.
    public var description: String {
        "ImagePrefetcher(begun: \(work.withLock { $0.next }) of \(count))"
    }

    /// Starts, in the background.
    ///
    /// A prefetcher that was stopped before reports all its sources as failed. Starting again does nothing.
    public func start() {
        queue.async { [self] in
            let isFirst = work.withLock { work in
                defer { work.isStarted = true }
                return !work.isStarted
            }
            if isFirst { goOn() }
        }
    }

    /// Stops: running loads are cancelled, and they and all that are left count as failed.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        queue.async { [self] in
            for task in work.withLock({ Array($0.running.values) }) { task?.cancel() }
        }
    }
}

// MARK: - A trailing closure is the completion handler

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

// MARK: - Working, on the queue

extension ImagePrefetcher {
    /// Begins as many sources as may run; ends if there is nothing left to do or to wait for.
    private func goOn() {
        let limit = max(1, maxConcurrentDownloads)
        while !isStopped.load(ordering: .acquiring),
            let index = work.withLock({ $0.begin(limit: limit, count: count) })
        {
            prefetch(index)
        }
        let (isIdle, rest) = work.withLock { ($0.running.isEmpty, $0.next..<count) }
        if isIdle { report.finish(failing: rest) }
    }

    private func prefetch(_ index: Int) {
        let source = source(index)
        let isRefused = options.downloader?.refusal(of: source) != nil
        guard !options.forceRefresh, !isRefused, let cache = options.targetCache else {
            return load(source, index, isCached: false)
        }
        // The disk may hang, and this queue must not.
        cache.imageCachedTypeAsync(
            forKey: source.cacheKey,
            processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension,
            callbackQueue: .dispatch(queue)
        ) { [self] type in
            if type.cached, !options.alsoPrefetchToMemory {
                end(index, .skipped)
                goOn()
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
                goOn()
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
