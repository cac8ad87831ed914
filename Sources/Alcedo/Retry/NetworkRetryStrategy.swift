public import Foundation
import FoundationNetworking

/// Tries again when the network is back.
///
/// Without a network it waits for one, and then tries again. With one, a load that failed on the way to the server or
/// with a status from 500 on is tried again at once; if that fails too, the next try waits until the network has
/// changed. What was cancelled, and what the server or a delegate has refused, is not tried again.
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeout: TimeInterval?
    private let monitor: any NetworkMonitoring

    /// Makes a strategy that waits at most `timeoutInterval` seconds for the network, each time; nil waits for ever.
    public init(timeoutInterval: TimeInterval? = 30) {
        self.init(timeoutInterval: timeoutInterval, monitor: NetworkMonitor.shared)
    }

    package init(timeoutInterval: TimeInterval?, monitor: any NetworkMonitoring) {
        timeout = timeoutInterval
        self.monitor = monitor
    }

    /// Decides, now or when the network is back or the time is up.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        (context.userInfo as? NetworkWait)?.cancel()
        guard context.error.mayPass else { return retryHandler(.stop) }
        let isConnected = monitor.isConnected
        guard context.retriedCount > 0 || !isConnected else { return retryHandler(.retry(userInfo: nil)) }
        monitor.waitForConnection(wasConnected: isConnected, atMost: timeout) { wait, isConnected in
            retryHandler(isConnected ? .retry(userInfo: wait) : .stop)
        }
    }
}

extension KingfisherError {
    /// Whether it may be the network's fault, or a server's that is overloaded.
    fileprivate var mayPass: Bool {
        guard case .responseError(let reason) = self else { return false }
        return switch reason {
        case .URLSessionError: !isConstrainedNetwork
        case .invalidHTTPStatusCode(let response): response.statusCode >= 500
        default: false
        }
    }
}
