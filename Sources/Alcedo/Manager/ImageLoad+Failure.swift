import AlcedoLocks

extension ImageLoad {
    /// Retries, goes on to the next source, or ends the load, as one that nobody wants any more does.
    func fail(_ error: KingfisherError, source: Source) {
        guard !error.isCancellation, !handle.isCancelled, !options.isSourceTaskStale else {
            return finish(.failure(error))
        }
        if error.isConstrainedNetwork, let frugal = takeLowDataModeSource(after: error, to: source) {
            attempt(frugal, isReplacement: true)
            return
        }
        guard let strategy = options.retryStrategy else { return tryAlternative(after: error, to: source) }
        let context = state.withLock { state in
            let context = state.retryContext ?? RetryContext(source: source, error: error)
            state.retryContext = context
            state.lastTransfer = handle.transfer
            return context
        }
        context.latestError = error
        let decision = Claim()
        handle.work { [self] in
            if decision.take() { finish(.failure(cancellation)) }
        }
        strategy.retry(context: context) { [self] verdict in
            guard decision.take() else { return }
            handle.rest()
            guard case .retry(let userInfo) = verdict else { return tryAlternative(after: error, to: source) }
            context.userInfo = userInfo
            context.retriedCount += 1
            load(source, isReplacement: true)
        }
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

    /// Goes on to the next source, or ends the load if it was cancelled or there is none.
    func tryAlternative(after error: KingfisherError, to source: Source) {
        guard !error.isCancellation, !handle.isCancelled, !options.isSourceTaskStale else {
            return finish(.failure(error))
        }
        let (next, errors) = state.withLock { state in
            state.errors.append(PropagationError(source: source, error: error))
            state.retryContext = nil
            return (state.alternatives.popFirst(), state.errors)
        }
        if let next {
            attempt(next, isReplacement: true)
        } else if errors.count == 1 {
            finish(.failure(error))
        } else {
            finish(.failure(.imageSettingError(reason: .alternativeSourcesExhausted(errors))))
        }
    }

    /// The error of a load that is cancelled while no transfer runs.
    var cancellation: KingfisherError {
        guard let last = state.withLock({ $0.lastTransfer }) else {
            return .requestError(reason: .asyncTaskContextCancelled)
        }
        return .requestError(reason: .taskCancelled(task: last.task, token: last.token))
    }
}
