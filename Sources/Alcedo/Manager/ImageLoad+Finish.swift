import AlcedoLocks
import Foundation

/// What a load leaves behind that has ended.
private struct Ended {
    let decision: OnceCallback<RetryDecision>?
    let context: RetryContext?

    /// Nil while a callback runs that must come before it.
    let completion: ImageLoad.Completion?
}

extension ImageLoad {
    /// Hands over the image, after the image modifier.
    func deliver(
        _ image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        metrics: NetworkMetrics? = nil,
        atOnce: Bool = false,
        data: @escaping @Sendable () -> Data?
    ) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        let duration = (ContinuousClock.now - begin) / .seconds(1)
        let result = RetrieveImageResult(
            image: options.imageModifier?.modify(image) ?? image,
            cacheType: cacheType,
            source: source,
            originalSource: self.source,
            data: data,
            metrics: metrics?.afterRetrieving(in: duration)
        )
        finish(.success(result), atOnce: atOnce)
    }

    /// Ends the load, unless it is over; whatever it is doing has no effect from then on.
    ///
    /// - Parameters:
    ///   - result: what the completion is told, unless the load is cancelled before that runs.
    ///   - atOnce: whether the completion may come before the call that began the load has returned.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>, atOnce: Bool = false) {
        let ended = state.withLock { state -> Ended? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.isAnsweredAtOnce = atOnce
            let isHeld = state.announcements > 0
            if isHeld { state.held = result }
            return Ended(
                decision: state.decision.take(), context: state.retryContext.take(),
                completion: isHeld ? nil : state.completion.take())
        }
        guard let ended else { return }
        handle.cancellation.removeAction()
        handle.detach()
        ended.decision?.drop()
        ended.context?.wait.cancel()
        complete(ended.completion, with: result, atOnce: atOnce)
    }

    /// Runs a callback that must not come after the completion; not at all if the load is over.
    func announce(_ callback: () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.announcements += 1 }
            return state.isOver
        }
        guard !isOver else { return }
        callback()
        let (held, completion) = state.withLock { state in
            state.announcements -= 1
            let held = state.announcements == 0 ? state.held.take() : nil
            return (held, held == nil ? nil : state.completion.take())
        }
        if let held { complete(completion, with: held, atOnce: false) }
    }

    private func complete(
        _ completion: Completion?, with result: Result<RetrieveImageResult, KingfisherError>, atOnce: Bool
    ) {
        guard let completion else { return }
        let tell: @Sendable () -> Void = { [self] in
            options.callbackQueue.execute { [self] in
                completion(handle.isCancelled ? cancelled(result) : result)
            }
        }
        if atOnce { tell() } else { latch.whenOpen(tell) }
    }

    /// What is told of a load that was cancelled while its result waited to be told.
    private func cancelled(
        _ result: Result<RetrieveImageResult, KingfisherError>
    ) -> Result<RetrieveImageResult, KingfisherError> {
        if case .failure(let error) = result, error.isTaskCancelled { result } else { .failure(cancellation) }
    }

    /// The error of a load that is cancelled.
    var cancellation: KingfisherError { .cancellation(of: state.withLock { $0.current }, through: handle) }
}

extension KingfisherError {
    /// The error of what is cancelled through `task` while it loads `source`.
    static func cancellation(of source: Source, through task: DownloadTask) -> KingfisherError {
        if case .provider(let provider) = source {
            return .requestError(reason: .dataProviderCancelled(provider: provider))
        }
        guard let transfer = task.transfer else { return .requestError(reason: .asyncTaskContextCancelled) }
        return .requestError(reason: .taskCancelled(task: transfer.task, token: transfer.token))
    }
}
