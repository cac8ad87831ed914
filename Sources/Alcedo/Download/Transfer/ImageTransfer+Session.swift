import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

// What a session delegate of one's own is asked and told.

extension ImageTransfer {
    func ask(
        _ session: SessionDelegate,
        about response: TransportResponse,
        _ decide: @escaping @Sendable (Bool) -> Void
    ) {
        guard let response = response.httpResponse(url: url) else { return decide(true) }
        Task { [self] in
            let disposition = await session.urlSession(
                SessionDelegate.session, dataTask: task.task, didReceive: response)
            guard disposition == .cancel else { return decide(true) }
            if refusal.withLock({ $0 == nil }) {
                _ = refuse(.responseError(reason: .cancelledByDelegate(response: response)))
            }
            decide(false)
        }
    }

    func transfer(didCollect metrics: TransportMetrics) {
        guard let session else { return }
        tellDelegates { [task] in
            session.urlSession(
                SessionDelegate.session, task: task.task, didFinishCollecting: MeasuredTaskMetrics(metrics))
        }
    }

    /// The transfer is over, and the callers have not been told.
    func tellSession(of error: TransportError?) {
        guard let session else { return }
        session.urlSession(SessionDelegate.session, task: task.task, didCompleteWithError: error?.urlError)
    }
}
