import AlcedoLocks
import AlcedoTransport
import Foundation

// Loads from the source itself: a download, a provider, or what network interceptors return.

/// What a source has given; a class, because it passes through many asynchronous functions.
final class LoadedSource: Sendable {
    let loading: ImageLoadingResult

    /// Nil for an image of an interceptor without bytes.
    let data: Data?

    /// Whether it is the image of a network interceptor, which no server has sent.
    let isInterceptors: Bool

    init(_ loading: ImageLoadingResult, data: Data?, isInterceptors: Bool = false) {
        (self.loading, self.data, self.isInterceptors) = (loading, data, isInterceptors)
    }
}

extension ImageLoad {
    /// The result of the program's loader, or of the download.
    private enum Content {
        case downloaded(Result<LoadedSource, KingfisherError>)
        case provider(any ImageDataProvider)

        /// An address policy has rejected the source that the loader has returned instead.
        case rejected(TransportError)
    }

    /// Loads from the source, or the source that a registered loader returns instead.
    nonisolated(nonsending) func loaded(
        _ attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadedSource {
        activeLoads?.track(handle)
        guard !handle.isCancelled else {
            // It may have ended before it was tracked.
            activeLoads?.untrack(handle)
            throw cancellation
        }
        if !options.networkInterceptors.isEmpty { return try await intercepted(attempt) }
        let (source, revalidation) = (attempt.source, attempt.revalidation)
        let ignoresLowData = attempt.usesLowDataSource
        let isReplacement = attempt.isReplacement
        let content: Content = try await callback { [self] then in
            let start: @Sendable (@escaping @Sendable (Content) -> Void) -> Void = { [self] then in
                startLoading(
                    source, revalidation, ignoresLowData: ignoresLowData, isReplacement: isReplacement, then)
            }
            // Loaders, request modifiers and delegates may block.
            guard let threads = options.threadsOfStart(for: source) else { return start(then) }
            threads.async(priority: options.downloadPriority) {
                // After the start: the load must not go on while its handle still gets the download.
                let content = Lock<Content?>(nil)
                let both = Countdown(from: 2) { content.withLock { $0.take() }.map(then) }
                start { found in
                    content.withLock { $0 = found }
                    both.step()
                }
                both.step()
            }
        }
        switch content {
        case .downloaded(let result): return try result.get()
        case .provider(let provider): return try await read(provider, attempt)
        case .rejected(let error):
            attempt.isRejected = true
            throw .rejection(error)
        }
    }

    @inline(never) private func startLoading(
        _ source: Source, _ revalidation: Revalidation?, ignoresLowData: Bool, isReplacement: Bool,
        _ then: @escaping @Sendable (Content) -> Void
    ) {
        let content = options.content(of: source)
        if let rejection = options.downloader?.rejection(of: content) { return then(.rejected(rejection)) }
        switch content {
        case .provider(let provider): then(.provider(provider))
        case .network(let resource):
            guard !handle.isCancelled else { return then(.downloaded(.failure(cancellation))) }
            startDownload(of: resource.downloadURL, for: source, revalidation, ignoresLowData: ignoresLowData)
            {
                then(.downloaded($0))
            }
            reportReplacement(isReplacement)
        }
    }

    @inline(never) private func startDownload(
        of url: URL, for source: Source, _ revalidation: Revalidation?, ignoresLowData: Bool,
        _ then: @escaping @Sendable (Result<LoadedSource, KingfisherError>) -> Void
    ) {
        guard let downloader = options.downloader else {
            preconditionFailure("the manager sets a downloader")
        }
        var options = options
        var context = context.download
        context.completionMayBlock = context.completionMayBlock ?? options.callbackQueue.isUntouched
        context.source = source
        context.revalidation = revalidation ?? context.revalidation
        context.announce = { [weak self] callback in self?.announce(callback) }
        options.downloadContext = context
        options.callbackQueue = .untouch
        if ignoresLowData { options.lowDataModeSource = nil }
        events?.send(.waiting)
        let task = downloader.downloadImage(with: url, options: options) { result in
            then(result.map { LoadedSource($0, data: $0.originalData) })
        }
        handle.link(to: task)
    }

    private nonisolated(nonsending) func read(
        _ provider: any ImageDataProvider, _ attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadedSource {
        // Replaces the transfer of an earlier attempt, which the handle would name.
        handle.work {}
        reportReplacement(attempt.isReplacement)
        guard !handle.isCancelled else { throw cancellation }
        let timeout = options.downloader?.downloadTimeout ?? LocalFile.standardTimeout
        if sharesReading(of: provider) {
            return try await share(provider, of: attempt.source, within: timeout)
        }
        events?.send(.transferring)
        let data = try await bytes(of: provider, within: timeout)
        handle.detach()
        events?.send(.transferred(bytes: data.count, metrics: nil))
        let source = attempt.source
        let image = try await process { [self] in
            events?.send(.making(of: data.count, with: options))
            var options = options
            options.processingRun = processing(of: source)
            let item = ImageProcessItem.data(data)
            return options.processed(item).flatMap { options.decoded($0, of: item) }
        }
        let loading = ImageLoadingResult(image: try image.get(), url: source.url, originalData: data)
        return LoadedSource(loading, data: data)
    }

    private nonisolated(nonsending) func bytes(
        of provider: any ImageDataProvider, within timeout: TimeInterval
    ) async throws(KingfisherError) -> Data {
        do {
            if let video = provider as? AVAssetImageDataProvider, video.isRemote,
                let downloader = options.downloader
            {
                return try await video.data(from: downloader, options: options)
            }
            let threads = provider is any LimitedImageDataProvider ? nil : ProgramThreads.providers
            return try await withTaskExecutorPreference(threads) {
                try await provider.data(within: options.decodeLimits, timeout: timeout)
            }
        } catch let error as KingfisherError where provider is AVAssetImageDataProvider {
            // The download's own, so that a retry strategy sees a status or a broken connection.
            throw error.isTaskCancelled ? cancellation : error
        } catch {
            if error is CancellationError { throw cancellation }
            throw .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
        }
    }

    /// Calls `downloadTaskUpdated` for a retry or an alternative source.
    func reportReplacement(_ isReplacement: Bool) {
        guard let update = context.downloadTaskUpdated, isReplacement else { return }
        announce { update(handle) }
    }
}
