import AlcedoLocks
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
        var cache: ImageCache
        var downloader: ImageDownloader
        var defaultOptions = KingfisherOptionsInfo.empty
        var hooks = LoadHooks()
    }

    /// The default manager, which the `kf` extensions use.
    public static let shared = KingfisherManager(downloader: .default, cache: .default)

    private let state: Lock<State>
    let activeLoads = ActiveLoads()

    /// Creates a manager.
    public init(downloader: ImageDownloader, cache: ImageCache) {
        state = Lock(State(cache: cache, downloader: downloader))
    }

    /// The cache for loads whose options name none.
    public var cache: ImageCache {
        get { state.withLock { $0.cache } }
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
    /// Those of ``shared`` also observe what an ``ImagePrefetcher`` loads. A change applies to later loads.
    public var observers: [any ImageLoadObserver] {
        get { hooks.observers }
        set { state.withLock { $0.hooks.observers = newValue } }
    }

    /// Intercept every load of this manager before the caches, the first one outermost; none by default.
    ///
    /// They enclose the load's own. With an interceptor, loads never complete before their call returns. Those of ``shared``
    /// also intercept what an ``ImagePrefetcher`` loads. A change applies to later loads.
    public var interceptors: [any ImageLoadInterceptor] {
        get { hooks.interceptors }
        set { state.withLock { $0.hooks.interceptors = newValue } }
    }

    /// Intercept every download and every read from a provider of this manager's loads; none by default.
    ///
    /// Otherwise as ``interceptors``.
    public var networkInterceptors: [any ImageLoadInterceptor] {
        get { hooks.networkInterceptors }
        set { state.withLock { $0.hooks.networkInterceptors = newValue } }
    }

    var hooks: LoadHooks { state.withLock { $0.hooks } }

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
        var options = parsed(options)
        options.context.progress = ProgressCallback(progressBlock)
        let load = ImageLoad(
            of: source,
            options: options,
            downloadTaskUpdated: downloadTaskUpdated,
            activeLoads: activeLoads,
            completion: completionHandler
        )
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
        var options = parsed(options)
        options.context.progress = ProgressCallback(progressBlock)
        options.callbackQueue = .untouch
        options.context.completionMayBlock = false
        return try await awaitCompletion { [self, options] finish in
            let load = ImageLoad(
                of: source, options: options, isAwaited: true, downloadTaskUpdated: nil,
                activeLoads: activeLoads, completion: finish)
            return load.start() ?? load.handle
        }
    }

    /// Loads an image with parsed options; the manager's downloader and cache replace missing ones.
    @discardableResult
    package func retrieveImage(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        handle: DownloadTask = DownloadTask(),
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        var options = parsedOptions
        let state = state.withLock { $0 }
        options.downloader = options.downloader ?? state.downloader
        options.targetCache = options.targetCache ?? state.cache
        options.originalCache = options.originalCache ?? options.targetCache
        options.add(state.hooks)
        let load = ImageLoad(
            of: source, options: options, handle: handle, downloadTaskUpdated: downloadTaskUpdated,
            activeLoads: activeLoads, completion: completionHandler)
        return load.start()
    }

    /// The manager's downloader and cache, its default options, then the call's; the last one wins.
    func parsed(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        let state = state.withLock { $0 }
        var parsed = KingfisherParsedOptionsInfo(
            [.downloader(state.downloader), .targetCache(state.cache)] + state.defaultOptions
                + (options ?? [])
        )
        parsed.add(state.hooks)
        return parsed
    }
}
