import AlcedoLocks

extension ImageLoad {
    /// Retries, goes on to the next source, or ends the load, as one that nobody wants any more does.
    func fail(_ error: KingfisherError, source: Source) {
        guard !error.isTaskCancelled, !options.isSourceTaskStale else { return finish(.failure(error)) }
        if error.isConstrainedNetwork, let frugal = takeLowDataModeSource(after: error, to: source) {
            return attempt(frugal)
        }
        guard let strategy = options.retryStrategy else { return tryAlternative(after: error, to: source) }
        let decision = OnceCallback<RetryDecision> { [self] decision in
            follow(decision, after: error, to: source)
        }
        let context = state.withLock { state -> RetryContext? in
            guard !state.isOver else { return nil }
            let context = state.retryContext ?? RetryContext(source: source, error: error)
            state.retryContext = context
            state.decision = decision
            return context
        }
        guard let context else { return }
        context.latestError = error
        context.wait = Cancellation()
        // The strategy may keep what it is given for as long as it likes.
        strategy.retry(context: context) { decision.call($0) }
    }

    private func follow(_ decision: RetryDecision, after error: KingfisherError, to source: Source) {
        guard case .retry(let userInfo) = decision else { return tryAlternative(after: error, to: source) }
        let context = state.withLock { state in
            state.isReplacement = true
            return state.retryContext
        }
        context?.userInfo = userInfo
        context?.retriedCount += 1
        load(source)
    }

    /// What to load over a constrained network; nil once it has been tried.
    private func takeLowDataModeSource(after error: KingfisherError, to source: Source) -> Source? {
        guard let frugal = options.lowDataModeSource else { return nil }
        return state.withLock { state in
            guard !state.isFrugal else { return nil }
            state.isFrugal = true
            state.errors.append(PropagationError(source: source, error: error))
            return frugal
        }
    }

    /// Goes on to the next source, or ends the load if nobody wants it any more or there is none.
    func tryAlternative(after error: KingfisherError, to source: Source) {
        guard !error.isTaskCancelled, !options.isSourceTaskStale else { return finish(.failure(error)) }
        let (next, errors, context) = state.withLock { state in
            state.errors.append(PropagationError(source: source, error: error))
            return (state.alternatives.popFirst(), state.errors, state.retryContext.take())
        }
        context?.wait.cancel()
        if let next {
            attempt(next)
        } else if errors.count == 1 {
            finish(.failure(error))
        } else {
            finish(.failure(.imageSettingError(reason: .alternativeSourcesExhausted(errors))))
        }
    }
}
