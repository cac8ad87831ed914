import AlcedoLocks
import Foundation

/// One load, from the first look into a cache to the one completion, through retries and alternative sources.
///
/// The order of things: the caches (`ImageLoad+Cache`), the source itself (`ImageLoad+Loading`), storing
/// (`ImageLoad+Store`); and where that fails, a retry or the next source (`ImageLoad+Failure`).
final class ImageLoad: Sendable {
    typealias Completion = @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    struct State {
        var alternatives: ArraySlice<Source>
        var errors: [PropagationError] = []
        var retryContext: RetryContext?

        /// Whether the network turned out to be constrained, and `lowDataModeSource` took the source's place.
        var isFrugal = false

        /// Of the last attempt; what a later cancellation names.
        var lastTransfer: (task: SessionDataTask, token: SessionDataTask.CancelToken)?
    }

    /// What was asked for first.
    let source: Source
    let options: KingfisherParsedOptionsInfo

    /// Cancels the load, whatever it is doing.
    let handle = DownloadTask()
    let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    let state: Lock<State>
    private let completion: Completion?
    private let begin = ContinuousClock.now

    init(
        of source: Source,
        options: KingfisherParsedOptionsInfo,
        downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        completion: Completion?
    ) {
        self.source = source
        self.options = options
        self.downloadTaskUpdated = downloadTaskUpdated
        self.completion = completion
        state = Lock(State(alternatives: (options.alternativeSources ?? [])[...]))
    }

    /// Begins; false if a cache answers, and so there is nothing to cancel.
    func start() -> Bool {
        guard options.asyncCacheTypeCheck else { return attempt(source) }
        WorkerPool.diskReading.submit { [self] in attempt(source) }
        return true
    }

    /// Tries one source, caches first; false if one answers.
    @discardableResult
    func attempt(_ source: Source, isReplacement: Bool = false) -> Bool {
        if !options.forceRefresh {
            if answerFromCache(source) { return false }
            if options.onlyFromCache {
                tryAlternative(
                    after: .cacheError(reason: .imageNotExisting(key: source.cacheKey)), to: source)
                return false
            }
        }
        load(source, isReplacement: isReplacement)
        return true
    }

    /// Hands over the image, after the image modifier.
    func deliver(
        _ image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        metrics: NetworkMetrics? = nil,
        data: @escaping @Sendable () -> Data?
    ) {
        let duration = (ContinuousClock.now - begin) / .seconds(1)
        let result = RetrieveImageResult(
            image: options.imageModifier?.modify(image) ?? image,
            cacheType: cacheType,
            source: source,
            originalSource: self.source,
            data: data,
            metrics: metrics?.afterRetrieving(in: duration)
        )
        finish(.success(result))
    }

    /// Ends the load.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        handle.rest()
        guard let completion else { return }
        options.callbackQueue.execute { completion(result) }
    }
}
