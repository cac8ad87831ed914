import AlcedoLocks
import AlcedoTransport
import Dispatch
public import Foundation

extension ImageDownloader {
    /// The longest time from the call until the request is sent, in seconds; 0, the default, for no limit.
    ///
    /// A load is queued at the limit of ``maximumActiveDownloads`` or ``startRate``, for a connection to its host, and while
    /// too many images wait to be decoded or stored, or for a queue or a delegate of the program's. Expiry fails the load with
    /// ``TransportError/queueTimedOut(waitingFor:seconds:url:)``, which names the cause. Applies to later loads.
    public var queueTimeout: TimeInterval {
        get { settings.withLock { $0.queueTimeout } }
        set { settings.withLock { $0.queueTimeout = newValue } }
    }

    /// Ends a load that is still queued at the end of the timeout.
    func scheduleQueueTimeout(of task: SessionDataTask) {
        let seconds = queueTimeout
        guard seconds > 0 else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self, weak task] in
            if let self, let task { expire(task, after: seconds) }
        }
    }

    private func expire(_ task: SessionDataTask, after seconds: TimeInterval) {
        let expired = transfers.withLock { transfers -> (next: DownloadQueue.Next, waitingFor: String)? in
            guard task.queueState == .queued else { return nil }
            let waitingFor = transfers.queue.waitingFor
            return (transfers.remove(task), waitingFor)
        }
        guard let expired else { return }
        startOffNetworkThread(expired.next)
        let blocker = task.blocker?.name ?? expired.waitingFor
        let error = TransportError.queueTimedOut(
            waitingFor: blocker, seconds: seconds, url: task.originalURL?.absoluteString ?? "")
        for caller in task.complete(failure: error) {
            caller.finish(.failure(.responseError(reason: .URLSessionError(error: error.urlError))))
        }
    }
}
