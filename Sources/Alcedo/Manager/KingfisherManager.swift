import AlcedoLocks
import Foundation

/// Told when a load goes on with another download task, before that task completes.
///
/// That is the case for a retry, for an alternative source and for an original that has to be downloaded after all.
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
    ///   - completionHandler: called exactly once, on the queue that the options name.
    /// - Returns: the handle to cancel the load, through all its attempts; nil if a cache has the image.
    @discardableResult
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: source(of: resource, options),
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
    ///   - completionHandler: called exactly once, on the queue that the options name.
    /// - Returns: the handle to cancel the load, through all its attempts; nil if a cache has the image.
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
        return load.start() ? load.handle : nil
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
            with: source(of: resource, options), options: options, progressBlock: progressBlock)
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
            let load = ImageLoad(of: source, options: options, downloadTaskUpdated: nil, completion: finish)
            _ = load.start()
            return load.handle
        }
    }

    /// Loads an image with options that are parsed already; the manager's own downloader and cache count where they name
    /// none.
    @discardableResult
    package func retrieveImage(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        var options = parsedOptions
        options.downloader = options.downloader ?? downloader
        options.targetCache = options.targetCache ?? cache
        options.originalCache = options.originalCache ?? options.targetCache
        let load = ImageLoad(
            of: source, options: options, downloadTaskUpdated: downloadTaskUpdated,
            completion: completionHandler)
        return load.start() ? load.handle : nil
    }

    /// What loads a resource; a downloader that may load from public addresses only gets file URLs too, and refuses them.
    private func source(of resource: any Resource, _ options: KingfisherOptionsInfo?) -> Source {
        let source = resource.convertToSource()
        guard resource.downloadURL.isFileURL, parsed(options).downloader?.addressPolicy == .publicOnly else {
            return source
        }
        return .network(KF.ImageResource(downloadURL: resource.downloadURL, cacheKey: source.cacheKey))
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
