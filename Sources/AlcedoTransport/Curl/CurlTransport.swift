package import AlcedoLocks
import Foundation

/// HTTP and HTTPS through libcurl: one thread for any number of transfers.
///
/// Reuses and shares connections, uses HTTP/2 if a server offers it over TLS, and queues requests by origin and priority.
/// The thread starts with the first transfer. The last reference ends it like ``invalidate()``.
public final class CurlTransport: Transport {
    private let inbox = Inbox()

    /// Counts the bodies that have yet to be processed.
    package let backpressure: Backpressure

    /// A transport with a thread and connections of its own.
    public convenience init() { self.init(backpressureLimit: 32 << 20) }

    /// The same; no transfer starts while the unprocessed bodies have `backpressureLimit` bytes or more.
    package init(backpressureLimit: Int) {
        backpressure = Backpressure(limit: backpressureLimit, name: "earlier images to be decoded or stored")
        backpressure.observe(for: inbox) { [weak inbox] in _ = inbox?.post(.admit) }
    }

    deinit { inbox.close() }

    /// Finishes all transfers with ``TransportError/cancelled`` and closes all connections, soon.
    ///
    /// A transfer that is started later is cancelled at once, on the thread that starts it.
    public func invalidate() { inbox.close() }

    /// Starts a transfer of an `http` or `https` URL; see ``Transport/start(_:handler:)``.
    ///
    /// If the system has no descriptors or no thread for the transport, the transfer fails at once with
    /// ``TransportError/cannotConnect(reason:url:)``; the next one tries again.
    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = CurlTransportTask(request, inbox: inbox)
        guard !DetachedThread.isForked else {
            let reason = "fork has copied this process without its network thread"
            handler.transferDidFinish(.failure(.cannotConnect(reason: reason, url: request.address)))
            return task
        }
        if inbox.post(.start(task, handler)) {
            if inbox.needsLoop { startLoop() }
        } else {
            handler.transferDidFinish(.failure(.cancelled))
        }
        return task
    }

    private func startLoop() {
        guard let multi = MultiHandle() else {
            let reason = Descriptors.shortage.map(Descriptors.reason) ?? "libcurl cannot start"
            return fail(inbox.abandon(nil), reason)
        }
        // The first transfers of several threads may all get here; one loop is enough.
        guard inbox.attach(multi) else { return }
        let status = DetachedThread.start("alcedo-network") { [inbox, backpressure] in
            CurlLoop(inbox, backpressure, multi).run()
        }
        if status != 0 {
            fail(inbox.abandon(multi), "the network thread cannot start: \(Descriptors.reason(status))")
        }
    }

    /// Ends transfers without a loop.
    private func fail(_ messages: [Inbox.Message], _ reason: String) {
        for case .start(let task, let handler) in messages {
            let error = TransportError.cannotConnect(reason: reason, url: task.request.address)
            handler.transferDidFinish(.failure(task.isCancelled ? .cancelled : error))
        }
    }
}
