import AlcedoLocks
import AlcedoTransport
import Foundation

// A load with interceptors makes a load of its own, a pass, for each request that leaves the last interceptor. A pass has no
// interceptors of that kind, and the events of the whole load without the first and the last.

extension ImageLoad {
    /// Passes the load through its interceptors.
    func intercept() -> DownloadTask {
        activeLoads?.track(handle)
        run(options.interceptors, ImageLoadRequest(source: source, options: options)) { [self] request in
            var pass = request.options
            pass.interceptors = []
            pass.networkInterceptors = options.networkInterceptors
            pass.downloader = pass.downloader ?? options.downloader
            pass.targetCache = pass.targetCache ?? options.targetCache
            pass.originalCache = pass.originalCache ?? options.originalCache
            return try await load(request.source, pass)
        } then: { [self] result in
            finish(
                result.map { result in
                    var result = result
                    result.originalSource = source
                    return result
                })
        }
        if handle.isCancelled { activeLoads?.untrack(handle) }
        return handle
    }

    /// Passes the loading from the source through the network interceptors, then stores the image or fails the attempt.
    func interceptLoading(_ source: Source) {
        guard !handle.isCancelled else { return endCancelled() }
        if let error = constrainedNetworkError(of: source) { return fail(error, source: source) }
        reportReplacement()
        run(options.networkInterceptors, ImageLoadRequest(source: source, options: options)) {
            [self] request in
            var pass = request.options
            (pass.interceptors, pass.networkInterceptors) = ([], [])
            (pass.targetCache, pass.originalCache) = (nil, nil)
            (pass.readLayers, pass.waitForCache) = (.network, false)
            (pass.retryStrategy, pass.alternativeSources, pass.lowDataModeSource) = (nil, nil, nil)
            pass.imageModifier = nil
            pass.downloader = pass.downloader ?? options.downloader
            let revalidation = state.withLock { $0.freshness.revalidation }
            return try await load(request.source, pass, revalidating: revalidation)
        } then: { [self] result in
            switch result {
            case .success(let result):
                // Not an interceptor's own image, if the server has confirmed the cached one.
                if result.fetched == nil, useConfirmed(source) { return }
                store(result, from: source)
            case .failure(let error):
                if !useConfirmed(after: error, of: source) { fail(error, source: source) }
            }
        }
    }

    /// Runs interceptors in a task, which a cancellation of the load cancels after it has ended the load.
    private func run(
        _ interceptors: [any ImageLoadInterceptor], _ request: ImageLoadRequest,
        last: @escaping ImageLoadRequest.Next,
        then: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) {
        let stop = Cancellation()
        // Before the task, whose end removes this action.
        handle.cancellation.whenCancelled { [self] in
            finish(.failure(cancellation))
            stop.cancel()
        }
        let task = Task(executorPreference: ProgramThreads.interceptors) { [self] in
            var result: Result<RetrieveImageResult, KingfisherError>
            do { result = .success(try await interceptors.chain(last)(request)) } catch {
                result = .failure(interceptionError(error))
            }
            // Encoding and completions are not for the program's threads.
            WorkerPool.shared.submit(priority: options.downloadPriority) { [result] in then(result) }
        }
        stop.whenCancelled { task.cancel() }
    }

    /// Makes one pass.
    private func load(
        _ source: Source, _ options: KingfisherParsedOptionsInfo,
        revalidating revalidation: Revalidation? = nil
    ) async throws -> RetrieveImageResult {
        var options = options
        options.context = self.options.context
        options.context.modifiesImage = self.options.imageModifier != nil
        options.context.completionMayBlock = false
        options.context.revalidation = revalidation
        // A pass to the network has no cache.
        if options.targetCache == nil { options.context.now = self.options.now }
        options.callbackQueue = .untouch
        options.loadDiskFileSynchronously = false
        // The program cancels the whole load.
        let taskUpdated = downloadTaskUpdated.map { update in
            { @Sendable [handle] (_: DownloadTask?) in update(handle) }
        }
        return try await awaitCompletion { [self, options] finish in
            let load = ImageLoad(
                of: source, options: options, isAwaited: true, isPass: true,
                downloadTaskUpdated: taskUpdated, completion: finish)
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

    /// The threads to ask whether the network is constrained; nil if that is not to be asked.
    func threadsOfConstraint(for source: Source) -> ProgramThreads? {
        constraint(of: source) == nil ? nil : .starts
    }

    /// What tells whether the network is constrained, if there is a source for it.
    private func constraint(of source: Source) -> (@Sendable () -> Bool)? {
        guard options.lowDataModeSource != nil, !state.withLock({ $0.usesLowDataSource }),
            case .network = source
        else { return nil }
        return options.downloader?.isNetworkConstrained
    }

    /// The error of a constrained network if there is a source for it; the passes have none.
    private func constrainedNetworkError(of source: Source) -> KingfisherError? {
        guard case .network(let resource) = source, constraint(of: source)?() == true else { return nil }
        let error = TransportError.constrainedNetwork(url: resource.downloadURL.absoluteString)
        return .responseError(reason: .URLSessionError(error: error.urlError))
    }

    /// Stores and delivers the result of the network interceptors; encodes an image that has no data.
    private func store(_ result: RetrieveImageResult, from source: Source) {
        if let data = result.data() {
            var loaded = ImageLoadingResult(
                image: result.image, url: source.url, originalData: data, metrics: result.metrics)
            loaded.fetched = result.fetched
            return store(loaded, from: source)
        }
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        let image = result.image
        let deliverImage: @Sendable () -> Void = { [self] in
            deliver(image, cacheType: .none, source: source, metrics: result.metrics) { [options] in
                options.cacheSerializer.data(with: image, original: nil)
            }
        }
        let stored = options.waitForCache ? Countdown(from: 1, then: deliverImage) : nil
        storeInTarget(image, original: nil, source: source, then: stored)
        if stored == nil { deliverImage() }
    }
}
