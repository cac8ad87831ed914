import AlcedoLocks
import Foundation

/// Told when a load goes on with another download task, before that task completes.
///
/// That is the case for a retry and for an alternative source. The handle that the call returned cancels these too.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// Loads images: from the caches if they have them, else from their source, and then stores them.
///
/// Safe because its state is behind a lock; methods may be called on any thread.
public class KingfisherManager: @unchecked Sendable {
    private struct State: Sendable {
        var cache: ImageCache
        var downloader: ImageDownloader
        var defaultOptions = KingfisherOptionsInfo.empty
    }

    /// The manager that everything uses unless told otherwise.
    public static let shared = KingfisherManager(downloader: .default, cache: .default)

    private let state: Lock<State>

    /// Makes a manager.
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

    /// Options of every load, before its own.
    public var defaultOptions: KingfisherOptionsInfo {
        get { state.withLock { $0.defaultOptions } }
        set { state.withLock { $0.defaultOptions = newValue } }
    }

    /// Loads an image.
    ///
    /// - Parameters:
    ///   - resource: what to load.
    ///   - options: how; by default the manager's options.
    ///   - progressBlock: told of the download's progress, on the main thread.
    ///   - downloadTaskUpdated: told of a task that takes the returned one's place.
    ///   - completionHandler: called exactly once, on the queue that the options name; before this method returns only
    ///     if memory has the image, or with the option `loadDiskFileSynchronously` the disk.
    /// - Returns: the handle to cancel the load, through all its attempts; nil if it was answered at once.
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
    ///   - source: what to load.
    ///   - options: how; by default the manager's options.
    ///   - progressBlock: told of the download's progress, on the main thread.
    ///   - downloadTaskUpdated: told of a task that takes the returned one's place.
    ///   - completionHandler: called exactly once, on the queue that the options name; before this method returns only
    ///     if memory has the image, or with the option `loadDiskFileSynchronously` the disk.
    /// - Returns: the handle to cancel the load, through all its attempts; nil if it was answered at once.
    @discardableResult
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        var options = parsed(options)
        options.progress = ProgressCallback(progressBlock)
        let load = ImageLoad(
            of: source,
            options: options,
            downloadTaskUpdated: downloadTaskUpdated,
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
        options.progress = ProgressCallback(progressBlock)
        options.callbackQueue = .untouch
        options.completionMayBlock = false
        return try await awaitCompletion { [options] finish in
            let load = ImageLoad(
                of: source, options: options, isAwaited: true, downloadTaskUpdated: nil, completion: finish)
            return load.start() ?? load.handle
        }
    }

    /// Loads an image with options that are parsed already; the manager's own downloader and cache count where they name
    /// none.
    @discardableResult
    package func retrieveImage(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        handle: DownloadTask = DownloadTask(),
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        var options = parsedOptions
        options.downloader = options.downloader ?? downloader
        options.targetCache = options.targetCache ?? cache
        options.originalCache = options.originalCache ?? options.targetCache
        let load = ImageLoad(
            of: source, options: options, handle: handle, downloadTaskUpdated: downloadTaskUpdated,
            completion: completionHandler)
        return load.start()
    }

    /// The manager's own downloader and cache, then its default options, then the call's: the last one wins.
    private func parsed(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        let state = state.withLock { $0 }
        return KingfisherParsedOptionsInfo(
            [.downloader(state.downloader), .targetCache(state.cache)] + state.defaultOptions
                + (options ?? [])
        )
    }
}
