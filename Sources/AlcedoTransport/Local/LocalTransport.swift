import Foundation

/// Reads `file` and `data` URLs on a few background threads, which all local transports share.
///
/// `data` URLs have separate threads, because a disk that hangs blocks those of files.
///
/// Responses have status 0; that of a `data` URL has a Content-Type. Timeouts, headers, redirects, connections and
/// priorities have no effect.
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
