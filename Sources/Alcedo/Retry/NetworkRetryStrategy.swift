public import Foundation
import FoundationNetworking

/// Retries when the network is available again.
///
/// | Condition | Retry |
/// |---|---|
/// | no network | when there is one, within `timeoutInterval` |
/// | a network, transfer failed or status of at least 500 | once at once, then whenever the network has changed |
/// | status 429 or 503 with `Retry-After` | the first one after that delay; none if it exceeds 60 s or is malformed |
/// | cancelled, or rejected by the server or a delegate | none |
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeout: TimeInterval?
    private let monitor: any NetworkMonitoring
    private let timer: RetryTimer

    /// Creates a strategy that waits for the network for `timeoutInterval` seconds per retry; nil waits without limit.
    public init(timeoutInterval: TimeInterval? = 30) {
        self.init(timeoutInterval: timeoutInterval, monitor: NetworkMonitor.shared)
    }

    package init(
        timeoutInterval: TimeInterval?, monitor: any NetworkMonitoring,
        timer: @escaping RetryTimer = retryTimer
    ) {
        timeout = timeoutInterval
        self.monitor = monitor
        self.timer = timer
    }

    /// Decides whether to retry, and calls the handler now, after a network change or after the timeout.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        (context.userInfo as? NetworkWait)?.cancel()
        let retryAfter = RetryAfter(context.latestError, at: Date())
        guard retryAfter != .tooLate, retryAfter != .absent || context.latestError.isTransient else {
            return retryHandler(.stop)
        }
        let cancellation = context.wait
        let isConnected = monitor.isConnected
        guard context.retriedCount > 0 || !isConnected else {
            let delay = if case .seconds(let seconds) = retryAfter { seconds } else { 0.0 }
            return cancellation.whenCancelled(timer(delay) { retryHandler(.retry(userInfo: nil)) })
        }
        let wait = monitor.waitForConnection(wasConnected: isConnected, atMost: timeout) {
            wait, isConnected in
            retryHandler(isConnected ? .retry(userInfo: wait) : .stop)
        }
        cancellation.whenCancelled { wait.cancel() }
    }
}

extension KingfisherError {
    /// Whether the network or an overloaded server may have caused it.
    fileprivate var isTransient: Bool {
        guard case .responseError(let reason) = self else { return false }
        return switch reason {
        case .URLSessionError: !isConstrainedNetwork
        case .invalidHTTPStatusCode(let response): response.statusCode >= 500
        default: false
        }
    }
}
