public import Foundation

/// Retries a number of times, after a delay.
///
/// Retries only response errors, and no cancelled load. With status 429 or 503 and a `Retry-After` header, the delay is at
/// least that; a load whose `Retry-After` exceeds 60 s or is malformed is not retried.
public struct DelayRetryStrategy: RetryStrategy {
    /// The delay before a retry.
    public enum Interval: Sendable {
        /// The same number of seconds before each retry.
        case seconds(TimeInterval)
        /// The seconds multiplied by the number of the retry, from 1.
        case accumulated(TimeInterval)
        /// The seconds that the closure returns; its argument is the number of past retries.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        func seconds(retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): Double(retriedCount + 1) * seconds
            case .custom(let block): block(retriedCount)
            }
        }
    }

    public let maxRetryCount: Int
    public let retryInterval: Interval
    private let timer: RetryTimer

    /// Creates a strategy; the delay is 3 s by default.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.init(maxRetryCount: maxRetryCount, retryInterval: retryInterval, timer: retryTimer)
    }

    package init(maxRetryCount: Int, retryInterval: Interval, timer: @escaping RetryTimer) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
        self.timer = timer
    }

    /// Decides whether to retry, and calls the handler after the delay.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        guard context.retriedCount < maxRetryCount, case .responseError = context.error else {
            return retryHandler(.stop)
        }
        var delay = retryInterval.seconds(retriedCount: context.retriedCount)
        switch RetryAfter(context.latestError, at: Date()) {
        case .absent: break
        case .seconds(let seconds): delay = max(delay, seconds)
        case .tooLate: return retryHandler(.stop)
        }
        let wait = context.wait
        wait.whenCancelled(timer(delay) { retryHandler(.retry(userInfo: nil)) })
    }
}
