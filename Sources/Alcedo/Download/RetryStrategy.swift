import AlcedoLocks
public import Foundation

/// What a retry strategy is told about a load that failed.
///
/// Safe because what changes is behind a lock.
public class RetryContext: @unchecked Sendable {
    /// What was to be loaded.
    public let source: Source

    /// Why the first attempt failed.
    public let error: KingfisherError

    private let lock = NSLock()
    private var count = 0
    private var info: Any?

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }

    /// How often it has been tried again; counted by the manager.
    public var retriedCount: Int {
        get { lock.withLock { count } }
        set { lock.withLock { count = newValue } }
    }

    /// What the strategy said with its last ``RetryDecision/retry(userInfo:)``.
    public internal(set) var userInfo: Any? {
        get { lock.withLock { info } }
        set { lock.withLock { info = newValue } }
    }
}

/// What a retry strategy decides.
public enum RetryDecision {
    /// Try again; `userInfo` is in the context next time.
    case retry(userInfo: Any?)
    /// Give up.
    case stop
}

/// Decides whether a failed load is tried again.
public protocol RetryStrategy: Sendable {
    /// Decides, and calls `retryHandler` exactly once: now, or when it is time to try again.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}

/// Tries again some times, with a pause.
///
/// Only what came of the response is tried again, and never what was cancelled.
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

    /// Makes a strategy; the pause is 3 seconds by default.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
    }

    /// Decides.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        guard context.retriedCount < maxRetryCount, case .responseError = context.error else {
            return retryHandler(.stop)
        }
        let pause = retryInterval.seconds(retriedCount: context.retriedCount)
        guard pause > 0 else { return retryHandler(.retry(userInfo: nil)) }
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) { retryHandler(.retry(userInfo: nil)) }
    }
}
