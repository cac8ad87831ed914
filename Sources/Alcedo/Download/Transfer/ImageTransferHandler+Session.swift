import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

// The session delegate's part in a transfer.

extension ImageTransferHandler {
    /// Has the session delegate decide about a response.
    func forward(
        _ response: TransportResponse,
        to session: SessionDelegate,
        _ decide: @escaping @Sendable (Bool) -> Void
    ) {
        guard let response = response.httpResponse(url: url) else { return decide(true) }
        Task(executorPreference: downloader.delegateThreads) { [self] in
            let disposition = await session.urlSession(
                SessionDelegate.session, dataTask: task.task, didReceive: response)
            guard disposition == .cancel else { return decide(true) }
            if rejection.withLock({ $0 == nil }) {
                _ = reject(.responseError(reason: .cancelledByDelegate(response: response)))
            }
            decide(false)
        }
    }

    func transfer(didCollect metrics: TransportMetrics) {
        guard let session else { return }
        callDelegates { [task] in
            session.urlSession(
                SessionDelegate.session, task: task.task, didFinishCollecting: MeasuredTaskMetrics(metrics))
        }
    }

    /// The transfer has ended; the callers are finished next.
    func notifySession(of error: TransportError?) {
        guard let session else { return }
        session.urlSession(SessionDelegate.session, task: task.task, didCompleteWithError: error?.urlError)
    }
}
