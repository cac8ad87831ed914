import Foundation

/// HTTP and HTTPS through libcurl: one thread for any number of transfers.
///
/// Connections are kept and shared, HTTP/2 is used where a server offers it over TLS, and waiting requests queue by
/// origin and priority. Ends with its last reference, as with ``invalidate()``.
public final class CurlTransport: Transport {
    private let inbox: Inbox

    /// What has come and waits.
    package let backlog: Backlog

    /// A transport with a thread and connections of its own.
    public convenience init() { self.init(backlogLimit: 32 << 20) }

    /// The same; while bodies of so many bytes or more wait, no transfer starts.
    package init(backlogLimit: Int) {
        let inbox = Inbox()
        let backlog = Backlog(limit: backlogLimit, inbox: inbox)
        self.inbox = inbox
        self.backlog = backlog
        let thread = Thread {
            // A name that is set before the thread runs is lost on Linux.
            Thread.current.name = "alcedo-network"
            CurlLoop(inbox, backlog).run()
        }
        thread.start()
    }

    deinit { inbox.close() }

    /// Finishes all transfers with ``TransportError/cancelled`` and closes all connections, soon.
    ///
    /// A transfer that is started later is cancelled at once, on the thread that starts it.
    public func invalidate() { inbox.close() }

    /// Starts a transfer of an `http` or `https` URL; see ``Transport/start(_:handler:)``.
    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = CurlTask(request, inbox: inbox)
        if !inbox.post(.start(task, handler)) { handler.transferDidFinish(.failure(.cancelled)) }
        return task
    }
}
