import AlcedoLocks
import Foundation
import Synchronization

/// The parts of a finished load to tear down.
private struct Ended {
    let decision: OnceCallback<RetryDecision>?
    let context: RetryContext?
    let freshness: LoadFreshness
    let sharedFetch: SharedFetch?

    /// Whether a callback runs that must precede the completion.
    let isPending: Bool
    let completion: ImageLoad.Completion?
}

extension ImageLoad {
    /// Applies the image modifier and completes the load.
    ///
    /// `byteCount` is that of the downloaded bytes that `data` keeps.
    func deliver(
        _ image: KFCrossPlatformImage,
        cacheType: CacheType,
        tier: CacheTier? = nil,
        source: Source,
        metrics: NetworkMetrics? = nil,
        fetched: FetchedResponse? = nil,
        synchronously: Bool = false,
        keeping byteCount: Int = 0,
        data: @escaping @Sendable () -> Data?
    ) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        // Whoever has put it into memory watches it.
        if cacheType == .disk
            || cacheType == .none
                && (!options.writeLayers.isDisjoint(with: [.memory, .disk])
                    || options.downloader?.session.responses != nil)
        {
            watch(image, of: source)
        }
        // Without a download, as for every memory hit, the clock is not read.
        let metrics = metrics?.afterRetrieving(in: (ContinuousClock.now - startTime) / .seconds(1))
        let freshness =
            options.httpFreshness == .respected ? state.withLock { $0.freshness } : LoadFreshness()
        // No closure, which a memory hit without a modifier would pay for.
        @Sendable func end(_ image: KFCrossPlatformImage, _ synchronously: Bool) {
            var result = RetrieveImageResult(
                image: image,
                cacheType: cacheType,
                source: source,
                originalSource: self.source,
                data: data,
                metrics: metrics,
                response: fetched.map(ResponseMetadata.init) ?? freshness.record.map(ResponseMetadata.init),
                isStale: freshness.isStale,
                tier: tier
            )
            result.fetched = fetched
            if isPass, let stale = freshness.revalidatesLater {
                result.revalidation = { [options] load in load.revalidate(stale, with: options) }
            }
            finish(.success(result), synchronously: synchronously)
        }
        guard let modifier = options.imageModifier else { return end(image, synchronously) }
        // A task that waits for the load called it on a thread of Swift's pool.
        if synchronously, !isAwaited { return end(modifier.modify(image), true) }
        options.callImageCode(keeping: byteCount) { end(modifier.modify(image), false) }
    }

    /// Ends the load once; later results of its stages have no effect.
    ///
    /// - Parameters:
    ///   - result: the completion's result, unless the load is cancelled before the completion runs.
    ///   - synchronously: whether the completion may run before the call that started the load has returned.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>, synchronously: Bool = false) {
        let ended = state.withLock { state -> Ended? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.isSynchronous = synchronously
            let isPending = state.announcements > 0
            if isPending { state.pendingResult = result }
            return Ended(
                decision: state.decision.take(), context: state.retryContext.take(),
                freshness: exchange(&state.freshness, with: LoadFreshness()),
                sharedFetch: state.sharedFetch.take(),
                isPending: isPending, completion: isPending ? nil : state.completion.take())
        }
        guard let ended else { return }
        ended.sharedFetch?.announceEnd()
        handle.cancellation.removeAction()
        handle.detach()
        ended.decision?.drop()
        ended.context?.wait.cancel()
        if !ended.isPending {
            complete(
                ended.completion, with: result, synchronously: synchronously,
                revalidating: ended.freshness.revalidatesLater)
        }
        guard let activeLoads, isCounted.load(ordering: .relaxed) else { return }
        activeLoads.untrack(handle)
        activeLoads.leave()
    }

    /// Runs a callback that must precede the completion; skips it if the load has ended.
    func announce(_ callback: () -> Void) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.announcements += 1 }
            return state.isFinished
        }
        guard !isFinished else { return }
        callback()
        let (pendingResult, completion) = state.withLock { state in
            state.announcements -= 1
            let pendingResult = state.announcements == 0 ? state.pendingResult.take() : nil
            return (pendingResult, pendingResult == nil ? nil : state.completion.take())
        }
        if let pendingResult { complete(completion, with: pendingResult, synchronously: false) }
    }

    private func complete(
        _ completion: Completion?, with result: Result<RetrieveImageResult, KingfisherError>,
        synchronously: Bool, revalidating stale: Source? = nil
    ) {
        let stale = isPass ? nil : stale
        let stage: ImageLoadEvent.Stage
        var inherited: (@Sendable (ImageLoad) -> Void)?
        // Once only: it copies the result, which costs more than an event.
        switch result {
        case .success(let result):
            stage = .delivered(tier: result.tier)
            if !isPass { inherited = result.revalidation }
        case .failure(let error): stage = .init(ofEnd: error)
        }
        guard completion != nil || stale != nil || inherited != nil else { return }
        let call: @Sendable () -> Void = { [self, inherited] in
            options.callbackQueue.execute { [self] in
                if handle.isCancelled, !stage.isCancelled {
                    // Cancelled after the load has ended.
                    let cancellation = cancellation
                    send(end: .init(ofEnd: cancellation))
                    completion?(.failure(cancellation))
                } else {
                    send(end: stage)
                    completion?(result)
                }
                if let stale { revalidate(stale, with: options) }
                inherited?(self)
            }
        }
        if synchronously { call() } else { latch.whenOpen(call) }
    }

    private func send(end stage: ImageLoadEvent.Stage) {
        if !isPass { options.context.events?.send(stage) }
    }

    /// The error of a cancelled load.
    var cancellation: KingfisherError { .cancellation(of: state.withLock { $0.current }, through: handle) }
}

extension KingfisherError {
    /// The error of a cancellation through `task` while `source` is loaded.
    static func cancellation(of source: Source, through task: DownloadTask) -> KingfisherError {
        if case .provider(let provider) = source {
            return .requestError(reason: .dataProviderCancelled(provider: provider))
        }
        guard let transfer = task.transfer else { return .requestError(reason: .asyncTaskContextCancelled) }
        return .requestError(reason: .taskCancelled(task: transfer.task, token: transfer.token))
    }
}
