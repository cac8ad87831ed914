import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

/// Called when a load starts another download task, for a retry or an alternative source, before that task completes.
///
/// The task that the call returned cancels these too.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// Loads images from the caches or from their sources, and stores them.
///
/// Methods may be called on any thread.
///
/// Safe because its state is behind a lock.
public class KingfisherManager: @unchecked Sendable {
    private struct State: Sendable {
        /// Nil for the default one, whose folder is created once it is used.
        var cache: ImageCache?
        var downloader: ImageDownloader
        var defaultOptions = KingfisherOptionsInfo.empty
    }

    /// The default manager, which the `kf` extensions use.
    public static let shared = KingfisherManager(downloader: .default)

    private let state: Lock<State>
    let hooks = LoadHooks()
    let activeLoads = ActiveLoads()

    public init(downloader: ImageDownloader, cache: ImageCache) {
        state = Lock(State(cache: cache, downloader: downloader))
    }

    private init(downloader: ImageDownloader) { state = Lock(State(downloader: downloader)) }

    /// The cache for loads whose options name none.
    public var cache: ImageCache {
        get { state.withLock { $0.cache } ?? .default }
        set { state.withLock { $0.cache = newValue } }
    }

    /// The downloader for loads whose options name none.
    public var downloader: ImageDownloader {
        get { state.withLock { $0.downloader } }
        set { state.withLock { $0.downloader = newValue } }
    }

    /// Options of every load; the load's own options override them.
    public var defaultOptions: KingfisherOptionsInfo {
        get { state.withLock { $0.defaultOptions } }
        set { state.withLock { $0.defaultOptions = newValue } }
    }

    /// Observe every load of this manager, before the observers of the load's options; none by default.
    ///
    /// Any thread may append and remove some, or assign a whole list. Those of ``shared`` also observe what an
    /// ``ImagePrefetcher`` loads. A change applies to later loads.
    public var observers: LoadHookList<any ImageLoadObserver> {
        get { hooks.observers }
        set { hooks.observers.replace(with: newValue) }
    }

    /// Intercept every load of this manager before the caches, the first one outermost; none by default.
    ///
    /// They enclose the load's own. With an interceptor, loads never complete before their call returns. Those of ``shared``
    /// also intercept what an ``ImagePrefetcher`` loads. A change applies to later loads.
    public var interceptors: LoadHookList<any ImageLoadInterceptor> {
        get { hooks.interceptors }
        set { hooks.interceptors.replace(with: newValue) }
    }

    /// Intercept every download and every read from a provider of this manager's loads; none by default.
    ///
    /// Otherwise as ``interceptors``.
    public var networkInterceptors: LoadHookList<any ImageLoadInterceptor> {
        get { hooks.networkInterceptors }
        set { hooks.networkInterceptors.replace(with: newValue) }
    }

    /// Loads an image from a resource, as from its source.
    @discardableResult
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: resource.convertToSource(),
            options: options,
            progressBlock: progressBlock,
            downloadTaskUpdated: downloadTaskUpdated,
            completionHandler: completionHandler
        )
    }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - source: the source.
    ///   - options: options that override ``defaultOptions``.
    ///   - progressBlock: receives the download's progress on the main thread.
    ///   - downloadTaskUpdated: receives the task of a retry or of an alternative source.
    ///   - completionHandler: called exactly once on the options' callback queue; before this method returns only for a
    ///     memory hit, or with `loadDiskFileSynchronously` for a disk hit.
    /// - Returns: a task that cancels the load with all its attempts; nil if the load has completed.
    @discardableResult
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        var context = LoadContext(downloadTaskUpdated: downloadTaskUpdated)
        context.download.progress = ProgressCallback(progressBlock)
        let load = ImageLoad(
            of: source, options: parsed(options), context: context, activeLoads: activeLoads,
            completion: completionHandler)
        return load.start()
    }

    /// Loads an image; cancelling the calling task cancels the load.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try await retrieveImage(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock)
    }

    /// Loads an image; cancelling the calling task cancels the load.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        var context = LoadContext()
        context.download.progress = ProgressCallback(progressBlock)
        return try await load(source, parsed(options), context)
    }

    /// Loads an image; cancelling the calling task cancels the load.
    func load(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, _ context: LoadContext
    ) async throws -> RetrieveImageResult {
        try await awaitCompletion { [self] finish in
            let load = ImageLoad(
                of: source, options: options, context: context, isAwaited: true, activeLoads: activeLoads,
                completion: finish)
            return load.start() ?? load.handle
        }
    }

    /// Loads an image with parsed options; the manager's downloader and cache replace missing ones.
    @discardableResult
    func retrieveImage(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        context: LoadContext = LoadContext(),
        handle: DownloadTask = DownloadTask(),
        completionHandler: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        let load = ImageLoad(
            of: source, options: completed(parsedOptions), context: context, handle: handle,
            activeLoads: activeLoads, completion: completionHandler)
        return load.start()
    }

    /// Loads an image with the options of a builder.
    func retrieveImage(
        with source: Source, parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?
    ) async throws -> RetrieveImageResult {
        var context = LoadContext()
        context.download.progress = ProgressCallback(progressBlock)
        return try await load(source, completed(parsedOptions), context)
    }

    /// Parsed options with the manager's downloader and cache in place of missing ones, and with its hooks.
    private func completed(_ parsedOptions: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        var options = parsedOptions
        let state = state.withLock { $0 }
        options.downloader = options.downloader ?? state.downloader
        options.targetCache = options.targetCache ?? state.cache ?? .default
        options.originalCache = options.originalCache ?? options.targetCache
        options.add(hooks)
        return options
    }

    /// The manager's downloader and cache, its default options, then the call's; the last one wins.
    func parsed(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        completed(KingfisherParsedOptionsInfo(defaultOptions + (options ?? [])))
    }
}

extension KingfisherManager {
    /// Loads an image and shows previews of it meanwhile, for a program without a view.
    ///
    /// Cancelling the calling task cancels the load. No preview is shown after it has returned or thrown.
    package func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        previews: ImageProgressive,
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) async throws -> RetrieveImageResult {
        let options = parsed(options)
        let provider = ImageProgressiveProvider(previews, options: options, show: show)
        var context = LoadContext()
        context.download.onDataReceived = [provider]
        do {
            let result = try await load(source, options, context)
            await MainActor.run { provider.finish() }
            return result
        } catch {
            await MainActor.run { provider.finish() }
            throw error
        }
    }
}

extension KingfisherManager {
    /// Ends the work of a program that is about to exit, within a time.
    ///
    /// Further loads fail with `managerIsShutDown`, for good. Running loads may end within three quarters of the time; then
    /// those that use their sources are cancelled. The rest of the time is for the disk: the manager's cache, those of
    /// ``defaultOptions`` and the ``HTTPCache`` of its downloader are flushed. Neither a hanging server nor a hanging disk makes
    /// it longer. It may be called again.
    ///
    /// Not included: an ``ImagePrefetcher``, calls of an ``ImageDownloader``, caches that only options of single loads name.
    ///
    /// - Parameters:
    ///   - time: the longest time to wait.
    ///   - callbackQueue: the handler's queue.
    ///   - completionHandler: called once, with the changes that have not reached the disk if there are any.
    public func shutdown(
        within time: Duration = .seconds(10), callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let seconds = time.seconds
        let deadline = DispatchTime.now() + max(0, seconds)
        let flush = OnceCallback<Void> { [self] _ in
            let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.uptimeNanoseconds)
            flushCaches(within: end > now ? Double(end - now) / 1e9 : 0) { result in
                callbackQueue.execute { completionHandler(result) }
            }
        }
        activeLoads.close { flush.call(()) }
        after(seconds * 0.75) { [activeLoads] in
            activeLoads.cancelAll()
            flush.call(())
        }
    }

    /// Ends the work of a program that is about to exit, within a time.
    ///
    /// The form with a completion handler has the details.
    ///
    /// - Parameter time: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with the changes that have not reached the disk.
    public func shutdown(within time: Duration = .seconds(10)) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        shutdown(within: time) { result.finish($0) }
        try await result.value()
    }

    private func flushCaches(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let options = parsed(nil)
        let caches = [cache, options.targetCache, options.originalCache].compactMap { $0 }
            .reduce(into: [ImageCache]()) { caches, cache in
                if !caches.contains(where: { $0 === cache }) { caches.append(cache) }
            }
        let responses = options.downloader?.settings.withLock { $0.session.responses }
        let errors = Lock<[CacheFlushError]>([])
        let isFlushed = Countdown(from: caches.count + 1) {
            then(CacheFlushError(errors.withLock { $0 }).map { .failure($0) } ?? .success(()))
        }
        let end: @Sendable (Result<Void, CacheFlushError>) -> Void = { result in
            if case .failure(let error) = result { errors.withLock { $0.append(error) } }
            isFlushed.step()
        }
        for cache in caches { cache.flush(within: .seconds(seconds), completionHandler: end) }
        if let responses { responses.flush(within: seconds, then: end) } else { isFlushed.step() }
    }
}

extension KingfisherManager {
    /// What loads images, for ``configure(for:)``.
    public enum Workload: Sendable, CaseIterable {
        /// A program with views: lists that scroll, one user, a network that breaks.
        case app

        /// A service that loads images for others, from many hosts.
        case server
    }

    /// Turns on what Kingfisher does not have and Alcedo leaves off by default; call it before the first load.
    ///
    ///     KingfisherManager.shared.configure(for: .app)
    ///
    /// It changes this manager's ``downloader``, ``cache`` and ``defaultOptions``. What is set afterwards replaces it.
    /// Call it once: a second call for the other workload leaves what only the first one sets.
    ///
    /// | setting | app | server |
    /// |---|---|---|
    /// | ``ImageDownloader/resumableDownloads`` | on | on |
    /// | ``ImageDownloader/failureMemory`` | 60 s | 60 s |
    /// | ``ImageDownloader/startRate`` | 50 a second after the first 20 | unchanged: bursts are usual |
    /// | ``ImageDownloader/maximumActiveDownloads`` | unchanged | 100 |
    /// | ``ImageDownloader/queueTimeout`` | unchanged | 10 s |
    /// | ``ImageCache/httpFreshness`` | respected | respected |
    /// | ``MemoryStorage/Config/keepWhileInUse`` | on | on |
    /// | ``DiskStorage/Config/sizeLimit`` | unchanged | 10 GiB, if there is none |
    /// | `useCachedIntermediates` | on | on |
    public func configure(for workload: Workload) {
        let (downloader, cache) = (downloader, cache)
        downloader.resumableDownloads = downloader.resumableDownloads ?? ResumableDownloads()
        downloader.failureMemory = FailureMemory(duration: .seconds(60))
        cache.httpFreshness = .respected
        cache.memoryStorage.config.keepWhileInUse = true
        // First: a load's own options and the program's defaults override it.
        defaultOptions = [.useCachedIntermediates] + defaultOptions
        switch workload {
        case .app:
            downloader.startRate = DownloadRate(perSecond: 50, burst: 20)
        case .server:
            downloader.maximumActiveDownloads = 100
            downloader.queueTimeout = .seconds(10)
            if cache.diskStorage.config.sizeLimit == 0 { cache.diskStorage.config.sizeLimit = 10 << 30 }
        }
    }
}
