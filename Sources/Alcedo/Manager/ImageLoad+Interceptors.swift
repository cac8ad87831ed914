import AlcedoLocks
import AlcedoTransport
import Foundation

// A load with interceptors starts another load, a pass, for each request that leaves the last interceptor. A pass has no
// interceptors of that kind, and the events of the whole load without the first and the last.

extension ImageLoad {
    /// Passes the load through its interceptors.
    nonisolated(nonsending) func runInterceptors() async {
        activeLoads?.track(handle)
        // It may have ended before it was tracked.
        if handle.isCancelled { activeLoads?.untrack(handle) }
        let request = ImageLoadRequest(
            source: source, options: options, loadID: context.download.loadID)
        let result = await run(options.interceptors, request) { [self] request in
            var pass = request.options
            pass.interceptors = []
            pass.networkInterceptors = options.networkInterceptors
            pass.downloader = pass.downloader ?? options.downloader
            pass.targetCache = pass.targetCache ?? options.targetCache
            pass.originalCache = pass.originalCache ?? options.originalCache
            return try await load(request.source, pass)
        }
        finish(
            result.map { result in
                var result = result
                result.originalSource = source
                return result
            })
    }

    /// Passes the loading from the source through the network interceptors.
    nonisolated(nonsending) func intercepted(_ attempt: LoadAttempt) async throws(KingfisherError)
        -> LoadedSource
    {
        let (source, revalidation) = (attempt.source, attempt.revalidation)
        if let error = await constrainedNetworkError(attempt) { throw error }
        reportReplacement(attempt.isReplacement)
        let request = ImageLoadRequest(
            source: source, options: options, loadID: context.download.loadID)
        let result = await run(options.networkInterceptors, request) { [self] request in
            var pass = request.options
            (pass.interceptors, pass.networkInterceptors) = ([], [])
            (pass.targetCache, pass.originalCache) = (nil, nil)
            (pass.readLayers, pass.waitForCache) = (.network, false)
            (pass.retryStrategy, pass.alternativeSources, pass.lowDataModeSource) = (nil, nil, nil)
            pass.imageModifier = nil
            pass.downloader = pass.downloader ?? options.downloader
            do {
                return try await load(request.source, pass, revalidating: revalidation)
            } catch let error as KingfisherError where error.hasStatus(304) {
                // No failure: an interceptor that retries failures would send the request again.
                guard let notModified = revalidation?.notModified(request.source) else { throw error }
                return notModified
            }
        }
        let loaded = try result.get()
        // The cached image is delivered then, not the interceptor's.
        let isConfirmed = loaded.fetched == nil && attempt.isConfirmed
        let data = isConfirmed ? nil : loaded.data()
        var loading = ImageLoadingResult(
            image: loaded.image, url: source.url, originalData: data ?? Data(), metrics: loaded.metrics)
        loading.fetched = loaded.fetched
        return LoadedSource(loading, data: data, isInterceptors: loaded.fetched == nil)
    }

    /// Runs interceptors on threads that they may block; a cancellation of the load cancels them.
    private nonisolated(nonsending) func run(
        _ interceptors: [any ImageLoadInterceptor], _ request: ImageLoadRequest,
        last: @escaping ImageLoadRequest.Next
    ) async -> Result<RetrieveImageResult, KingfisherError> {
        do {
            return .success(
                try await withTaskExecutorPreference(ProgramThreads.interceptors) {
                    try await interceptors.chain(last)(request)
                })
        } catch {
            return .failure(interceptionError(error))
        }
    }

    /// Runs one pass.
    private nonisolated(nonsending) func load(
        _ source: Source, _ options: KingfisherParsedOptionsInfo,
        revalidating revalidation: Revalidation? = nil
    ) async throws -> RetrieveImageResult {
        var (options, context) = (options, context)
        context.download.modifiesImage = self.options.imageModifier != nil
        context.download.revalidation = revalidation
        // A pass to the network has no cache.
        if options.targetCache == nil, let cache = self.options.targetCache {
            context.download.now = cache.diskStorage.now
        }
        // The program may have passed options of its own.
        options.isCurrent = self.options.isCurrent
        options.decodesReduced = self.options.decodesReduced
        options.checksPixels = self.options.checksPixels
        options.loadDiskFileSynchronously = false
        // The program cancels the whole load.
        if let update = context.downloadTaskUpdated {
            context.downloadTaskUpdated = { [handle] _ in update(handle) }
        }
        return try await awaitCompletion { [options, context, handle] finish in
            let load = ImageLoad(
                of: source, options: options, context: context, isAwaited: true, isPass: true,
                completion: finish)
            handle.link(to: load.handle)
            return load.start() ?? load.handle
        }
    }

    private func interceptionError(_ error: any Error) -> KingfisherError {
        switch error {
        case let error as KingfisherError: error
        case is CancellationError: cancellation
        default: .requestError(reason: .interceptorThrew(source: source, error: error))
        }
    }

    /// The error of a constrained network if there is a source for it; the passes have none.
    private nonisolated(nonsending) func constrainedNetworkError(_ attempt: LoadAttempt) async
        -> KingfisherError?
    {
        guard options.lowDataModeSource != nil, !attempt.usesLowDataSource,
            case .network(let resource) = attempt.source,
            let isConstrained = options.downloader?.isNetworkConstrained
        else { return nil }
        let isNow = try? await callback { then in ProgramThreads.starts.async { then(isConstrained()) } }
        guard isNow == true else { return nil }
        let error = TransportError.constrainedNetwork(url: resource.downloadURL.absoluteString)
        return .responseError(reason: .URLSessionError(error: error.urlError))
    }
}
