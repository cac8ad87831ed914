import AlcedoLocks
import Foundation

/// One load, from the first look into a cache to the one completion, through retries and alternative sources.
final class ImageLoad: Sendable {
    private struct State {
        var alternatives: ArraySlice<Source>
        var errors: [PropagationError] = []
        var retryContext: RetryContext?
    }

    let source: Source
    let options: KingfisherParsedOptionsInfo
    let handle = DownloadTask()
    private let progress: ProgressCallback?
    private let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    private let completion: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    private let isAwaited: Bool
    private let begin = ContinuousClock.now
    private let state: Lock<State>

    init(
        of source: Source,
        options: KingfisherParsedOptionsInfo,
        progress: ProgressCallback?,
        downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        isAwaited: Bool = false,
        completion: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) {
        self.source = source
        self.options = options
        self.progress = progress
        self.downloadTaskUpdated = downloadTaskUpdated
        self.isAwaited = isAwaited
        self.completion = completion
        state = Lock(State(alternatives: (options.alternativeSources ?? [])[...]))
    }

    /// Whether delivering the image runs somebody else's code on the thread that has it.
    private var mayBlock: Bool {
        options.imageModifier != nil || (options.callbackQueue.isUntouched && !isAwaited)
    }

    /// Begins; returns the handle, or nil if there is nothing to cancel because a cache has the image.
    func start() -> DownloadTask? {
        guard options.asyncCacheTypeCheck else { return attempt(source) ? handle : nil }
        cacheCheckQueue.async { [self] in _ = attempt(source) }
        return handle
    }

    /// Tries one source; false if a cache answers.
    private func attempt(_ source: Source) -> Bool {
        if !options.forceRefresh {
            if answerFromCache(source) { return false }
            if options.onlyFromCache {
                finish(.failure(.cacheError(reason: .imageNotExisting(key: source.cacheKey))))
                return false
            }
        }
        load(source)
        return true
    }

    /// Loads from the source itself, whatever the caches hold.
    func load(_ source: Source, isReplacement: Bool = false) {
        if handle.isCancelled { return finish(.failure(.requestError(reason: .asyncTaskContextCancelled))) }
        switch source {
        case .network(let resource): download(resource.downloadURL, of: source, isReplacement: isReplacement)
        case .provider(let provider): read(provider, of: source)
        }
    }

    private func download(_ url: URL, of source: Source, isReplacement: Bool) {
        guard let downloader = options.downloader else {
            preconditionFailure("the manager sets a downloader")
        }
        var options = options
        options.callbackQueue = .untouch
        let announced = OneShotGate(isOpen: !isReplacement)
        let task = downloader.download(
            DownloadCaller(options: options, progress: progress, mayBlock: mayBlock) { [self] result in
                announced.whenOpen { [self] in
                    switch result {
                    case .success(let result): store(result, from: source)
                    case .failure(let error): fail(error, source: source)
                    }
                }
            },
            from: url
        )
        handle.link(to: task)
        if isReplacement { downloadTaskUpdated?(task) }
        announced.open()
    }

    private func read(_ provider: any ImageDataProvider, of source: Source) {
        let outcome = OneShot<Data, any Error>()
        let task = Task {
            do { outcome.finish(.success(try await provider.data())) } catch {
                outcome.finish(.failure(error))
            }
        }
        handle.work {
            outcome.finish(.failure(CancellationError()))
            task.cancel()
        }
        Task { [self] in
            do {
                process(try await outcome.value(), from: source)
            } catch is CancellationError {
                fail(.requestError(reason: .dataProviderCancelled(provider: provider)), source: source)
            } catch {
                fail(
                    .imageSettingError(reason: .dataProviderError(provider: provider, error: error)),
                    source: source
                )
            }
        }
    }

    private func process(_ data: Data, from source: Source) {
        let options = options
        options.process { [self] in
            let item = ImageProcessItem.data(data)
            guard let image = options.processor.process(item: item, options: options) else {
                let reason = KingfisherError.ProcessorErrorReason.processingFailed(
                    processor: options.processor, item: item)
                return fail(.processorError(reason: reason), source: source)
            }
            let decoded = options.backgroundDecode ? image.kf.decoded : image
            store(ImageLoadingResult(image: decoded, url: source.url, originalData: data), from: source)
        }
    }

    /// Retries, goes on to the next alternative, or ends the load.
    func fail(_ error: KingfisherError, source: Source) {
        guard !error.isCancellation, !handle.isCancelled, let strategy = options.retryStrategy else {
            return tryAlternative(after: error, source: source)
        }
        let context = state.withLock { state in
            let context = state.retryContext ?? RetryContext(source: self.source, error: error)
            state.retryContext = context
            return context
        }
        strategy.retry(context: context) { [self] decision in
            guard case .retry(let userInfo) = decision else {
                return tryAlternative(after: error, source: source)
            }
            context.userInfo = userInfo
            context.retriedCount += 1
            load(source, isReplacement: true)
        }
    }

    private func tryAlternative(after error: KingfisherError, source: Source) {
        guard !error.isCancellation, !handle.isCancelled else { return finish(.failure(error)) }
        let (next, errors) = state.withLock { state in
            state.errors.append(PropagationError(source: source, error: error))
            state.retryContext = nil
            return (state.alternatives.popFirst(), state.errors)
        }
        if let next {
            if options.forceRefresh || !answerFromCache(next) { load(next, isReplacement: true) }
        } else {
            finish(
                .failure(
                    errors.count == 1
                        ? error : .imageSettingError(reason: .alternativeSourcesExhausted(errors)))
            )
        }
    }

    /// Delivers the image, after the image modifier.
    func finish(
        _ image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        metrics: NetworkMetrics? = nil,
        data: @escaping @Sendable () -> Data?
    ) {
        let duration = (ContinuousClock.now - begin) / .seconds(1)
        finish(
            .success(
                RetrieveImageResult(
                    image: options.imageModifier?.modify(image) ?? image,
                    cacheType: cacheType,
                    source: source,
                    originalSource: self.source,
                    data: data,
                    metrics: metrics?.afterRetrieving(in: duration)
                )
            )
        )
    }

    func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        guard let completion else { return }
        options.callbackQueue.execute { completion(result) }
    }
}

private let cacheCheckQueue = DispatchQueue(label: "alcedo.cache-check")

extension NetworkMetrics {
    fileprivate func afterRetrieving(in seconds: TimeInterval) -> NetworkMetrics {
        NetworkMetrics(
            retrieveImageDuration: seconds,
            totalRequestDuration: totalRequestDuration,
            domainLookupDuration: domainLookupDuration,
            connectDuration: connectDuration,
            secureConnectionDuration: secureConnectionDuration,
            requestBodyBytesSent: requestBodyBytesSent,
            responseBodyBytesReceived: responseBodyBytesReceived,
            httpStatusCode: httpStatusCode,
            redirectCount: redirectCount
        )
    }
}
