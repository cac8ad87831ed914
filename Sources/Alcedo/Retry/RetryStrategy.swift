import AlcedoLocks
import Foundation

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
    private var latest: KingfisherError
    private var waiting = Cancellation()

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
        latest = error
    }

    /// Why the last attempt failed.
    var latestError: KingfisherError {
        get { lock.withLock { latest } }
        set { lock.withLock { latest = newValue } }
    }

    /// Ends what the strategy waits for, once the load is cancelled; another for each decision.
    var wait: Cancellation {
        get { lock.withLock { waiting } }
        set { lock.withLock { waiting = newValue } }
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
    ///
    /// After the load was cancelled that has no effect, and what is waited for keeps none of it alive.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}
