import Dispatch
import Foundation

/// Reads `file` and `data` URLs on background threads.
///
/// Responses have status 0; that of a `data` URL has a Content-Type. Time-outs, headers, redirects, connections and
/// priorities mean nothing here.
public final class LocalTransport: Transport {
    private let workers = DispatchQueue(label: "alcedo.transport.local", attributes: .concurrent)

    /// A transport for local URLs.
    public init() {}

    /// Starts to read a `file` or `data` URL; see ``Transport/start(_:handler:)``.
    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transfer = LocalTransfer(request, target: workers)
        transfer.start(handler)
        return transfer
    }
}
