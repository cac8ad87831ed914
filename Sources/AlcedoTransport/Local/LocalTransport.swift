import Foundation

/// Reads `file` and `data` URLs on a few background threads, which all such transports share.
///
/// `data` URLs have threads of their own: a file on a disk that hangs keeps its thread.
///
/// Responses have status 0; that of a `data` URL has a Content-Type. Time-outs, headers, redirects, connections and
/// priorities mean nothing here.
public final class LocalTransport: Transport {
    private static let fileReaders = BoundedQueue(label: "alcedo.transport.files", width: 4)
    private static let dataReaders = BoundedQueue(label: "alcedo.transport.data", width: 2)

    /// A transport for local URLs.
    public init() {}

    /// Starts to read a `file` or `data` URL; see ``Transport/start(_:handler:)``.
    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transfer = LocalTransportTask(
            request, target: LocalScheme(of: request.url) == .data ? Self.dataReaders : Self.fileReaders)
        transfer.start(handler)
        return transfer
    }
}
