import AlcedoLocks

extension ImageLoad {
    /// Retries, tries the next source, or ends the load; ends it if it is stale.
    func fail(_ error: KingfisherError, source: Source) {
        guard !error.isTaskCancelled, !options.isSourceTaskStale else { return finish(.failure(error)) }
        if error.isConstrainedNetwork, let lowDataSource = takeLowDataModeSource(after: error, to: source) {
            options.context.events?.send(.retrying(lowDataSource, after: error))
            return attempt(lowDataSource)
        }
        guard !isRemembered(error, of: source), let strategy = options.retryStrategy else {
            return tryAlternative(after: error, to: source)
        }
        let decision = OnceCallback<RetryDecision> { [self] decision in
            apply(decision, after: error, to: source)
        }
        let context = state.withLock { state -> RetryContext? in
            guard !state.isFinished else { return nil }
            let context = state.retryContext ?? RetryContext(source: source, error: error)
            state.retryContext = context
            state.decision = decision
            return context
        }
        guard let context else { return }
        context.latestError = error
        context.wait = Cancellation()
        // The strategy may retain the context and the closure.
        let decide: @Sendable () -> Void = { strategy.retry(context: context) { decision.call($0) } }
        if strategy.isOfLibrary { decide() } else { ProgramThreads.starts.async(decide) }
    }

    /// Whether a retry would fail at once, because the downloader remembers the failure.
    private func isRemembered(_ error: KingfisherError, of source: Source) -> Bool {
        if error.rememberedFailure != nil { return true }
        guard case .network = source, !options.forceRefresh, let task = handle.transfer?.task else {
            return false
        }
        return options.downloader?.remembersFailure(of: task) == true
    }

    private func apply(_ decision: RetryDecision, after error: KingfisherError, to source: Source) {
        guard case .retry(let userInfo) = decision else { return tryAlternative(after: error, to: source) }
        let context = state.withLock { state in
            state.isReplacement = true
            return state.retryContext
        }
        context?.userInfo = userInfo
        context?.retriedCount += 1
        options.context.events?.send(.retrying(source, after: error))
        load(source)
    }

    /// The source for a constrained network; nil once it was tried.
    private func takeLowDataModeSource(after error: KingfisherError, to source: Source) -> Source? {
        guard let lowDataSource = options.lowDataModeSource else { return nil }
        return state.withLock { state in
            guard !state.usesLowDataSource else { return nil }
            state.usesLowDataSource = true
            state.errors.append(PropagationError(source: source, error: error))
            return lowDataSource
        }
    }

    /// Tries the next source; ends the load if there is none or the load is stale.
    func tryAlternative(after error: KingfisherError, to source: Source) {
        guard !error.isTaskCancelled, !options.isSourceTaskStale else { return finish(.failure(error)) }
        shareFailure(error, of: source)
        if useStale(after: error, of: source) { return }
        let (next, errors, context) = state.withLock { state in
            state.errors.append(PropagationError(source: source, error: error))
            return (state.alternatives.popFirst(), state.errors, state.retryContext.take())
        }
        context?.wait.cancel()
        if let next {
            options.context.events?.send(.retrying(next, after: error))
            attempt(next)
        } else if errors.count == 1 {
            finish(.failure(error))
        } else {
            finish(.failure(.imageSettingError(reason: .alternativeSourcesExhausted(errors))))
        }
    }
}

extension RetryStrategy {
    /// Whether it runs no code of the program's.
    fileprivate var isOfLibrary: Bool {
        if let strategy = self as? DelayRetryStrategy {
            if case .custom = strategy.retryInterval { return false }
            return true
        }
        return self is NetworkRetryStrategy
    }
}
