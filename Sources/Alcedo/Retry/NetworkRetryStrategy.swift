public import Foundation
import FoundationNetworking

/// Tries again when the network is back.
///
/// Without a network it waits for one, and then tries again. With one, a load that failed on the way to the server or
/// with a status from 500 on is tried again at once; if that fails too, the next try waits until the network has
/// changed. What was cancelled, and what the server or a delegate has refused, is not tried again. Where the server says
/// with status 429 or 503 when it wants to be asked again, the first try waits for that; there is none if that is in more
/// than 60 seconds, or can't be read.
public struct NetworkRetryStrategy: RetryStrategy {
    private let timeout: TimeInterval?
    private let monitor: any NetworkMonitoring
    private let timer: RetryTimer

    /// Makes a strategy that waits at most `timeoutInterval` seconds for the network, each time; nil waits for ever.
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

    /// Decides, now or when the network is back or the time is up.
    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        (context.userInfo as? NetworkWait)?.cancel()
        let wish = RetryAfter(context.latestError, at: Date())
        guard wish != .notSoon, wish != .unsaid || context.latestError.mayPass else {
            return retryHandler(.stop)
        }
        let cancellation = context.wait
        let isConnected = monitor.isConnected
        guard context.retriedCount > 0 || !isConnected else {
            let pause = if case .seconds(let seconds) = wish { seconds } else { 0.0 }
            return cancellation.whenCancelled(timer(pause) { retryHandler(.retry(userInfo: nil)) })
        }
        let wait = monitor.waitForConnection(wasConnected: isConnected, atMost: timeout) {
            wait, isConnected in
            retryHandler(isConnected ? .retry(userInfo: wait) : .stop)
        }
        cancellation.whenCancelled { wait.cancel() }
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
