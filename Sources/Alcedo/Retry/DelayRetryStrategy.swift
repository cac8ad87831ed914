public import Foundation

/// Tries again some times, with a pause.
///
/// Only what came of the response is tried again, and never what was cancelled. Where the server says with status 429
/// or 503 when it wants to be asked again, the pause is at least as long; nothing is tried again if that is more than 60
/// seconds, or can't be read.
public struct DelayRetryStrategy: RetryStrategy {
    /// The pause before trying again.
    public enum Interval: Sendable {
        /// The same number of seconds each time.
        case seconds(TimeInterval)
        /// The seconds times the number of the retry, which is 1 for the first.
        case accumulated(TimeInterval)
        /// What the closure returns, in seconds; it is told how often has been retried.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        func seconds(retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): Double(retriedCount + 1) * seconds
            case .custom(let block): block(retriedCount)
            }
        }
    }

    /// How often to try again at the most.
    public let maxRetryCount: Int

    /// The pause before each.
    public let retryInterval: Interval

    private let timer: RetryTimer

    /// Makes a strategy; the pause is 3 seconds by default.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.init(maxRetryCount: maxRetryCount, retryInterval: retryInterval, timer: retryTimer)
    }

    package init(maxRetryCount: Int, retryInterval: Interval, timer: @escaping RetryTimer) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
        self.timer = timer
    }

    /// Decides.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        guard context.retriedCount < maxRetryCount, case .responseError = context.error else {
            return retryHandler(.stop)
        }
        var pause = retryInterval.seconds(retriedCount: context.retriedCount)
        switch RetryAfter(context.latestError, at: Date()) {
        case .unsaid: break
        case .seconds(let wanted): pause = max(pause, wanted)
        case .notSoon: return retryHandler(.stop)
        }
        let wait = context.wait
        wait.whenCancelled(timer(pause) { retryHandler(.retry(userInfo: nil)) })
    }
}
