import AlcedoLocks
import Foundation

extension ImageLoad {
    /// Whether the strategy wants the load to try the source again; returns when it is to start.
    nonisolated(nonsending) func retries(
        after error: KingfisherError, of attempt: LoadAttempt
    ) async -> Bool {
        let source = attempt.source
        guard let strategy = options.retryStrategy, !isRemembered(error, of: source) else { return false }
        let context = attempt.retries ?? RetryContext(source: source, error: error)
        attempt.retries = context
        context.latestError = error
        let (outcome, wait) = (OneShot<Bool, Never>(), Cancellation())
        context.wait = wait
        // The strategy may retain the context and the closure, so neither has the load.
        let decide = OnceCallback<RetryDecision> { decision in
            guard case .retry(let userInfo) = decision else { return outcome.finish(.success(false)) }
            context.userInfo = userInfo
            context.retriedCount += 1
            outcome.finish(.success(true))
        }
        return await withTaskCancellationHandler {
            let retry: @Sendable () -> Void = { strategy.retry(context: context) { decide.call($0) } }
            if strategy.isOfLibrary { retry() } else { ProgramThreads.starts.async(retry) }
            return await outcome.value()
        } onCancel: {
            decide.drop()
            wait.cancel()
            outcome.finish(.success(false))
        }
    }

    /// Whether a retry would fail at once, because the downloader remembers the failure.
    private func isRemembered(_ error: KingfisherError, of source: Source) -> Bool {
        if error.rememberedFailure != nil { return true }
        guard case .network = source, !options.forceRefresh, let task = handle.transfer?.task else {
            return false
        }
        return options.downloader?.remembersFailure(of: task) == true
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
