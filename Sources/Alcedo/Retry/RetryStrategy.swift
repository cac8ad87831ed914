import AlcedoLocks
import Foundation

/// The state of a failed load, for a retry strategy.
///
/// Safe because its mutable state is behind a lock.
public class RetryContext: @unchecked Sendable {
    public let source: Source

    /// The error of the first attempt.
    public let error: KingfisherError

    // Not a `Lock`, which returns only what may be sent between threads: `userInfo` may be of any type.
    private let lock = NSLock()
    private var count = 0
    private var info: Any?
    private var latest: KingfisherError
    private var waiting = Cancellation()

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
        latest = error
    }

    var latestError: KingfisherError {
        get { lock.withLock { latest } }
        set { lock.withLock { latest = newValue } }
    }

    /// Ends the strategy's wait when the load is cancelled; new for each decision.
    var wait: Cancellation {
        get { lock.withLock { waiting } }
        set { lock.withLock { waiting = newValue } }
    }

    /// The number of retries so far; the manager counts them.
    public var retriedCount: Int {
        get { lock.withLock { count } }
        set { lock.withLock { count = newValue } }
    }

    /// The value of the last ``RetryDecision/retry(userInfo:)``.
    public internal(set) var userInfo: Any? {
        get { lock.withLock { info } }
        set { lock.withLock { info = newValue } }
    }
}

/// The decision of a retry strategy.
public enum RetryDecision {
    /// Retry; the context has `userInfo` next time.
    case retry(userInfo: Any?)
    /// Fail with the last error.
    case stop
}

/// Decides whether a failed load is retried.
///
/// Called on threads for what starts a load, which it may block; see <doc:YourCode>.
public protocol RetryStrategy: Sendable {
    /// Decides, and calls `retryHandler` exactly once: now, or when the retry is to start.
    ///
    /// After a cancellation the call has no effect, and `retryHandler` does not retain the load.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}
