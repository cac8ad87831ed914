import Foundation

/// Reads `file` and `data` URLs on a few background threads, which all local transports share.
///
/// A file system that hangs takes four threads, and the files of others go on being read. A file fails with
/// ``TransportError/fileUnreadable(path:reason:)`` if opening it takes longer than ``TransportTimeouts/firstByte``, a part of it
/// longer than ``TransportTimeouts/stall``, or all of it longer than ``TransportTimeouts/total``, each rounded up to seconds; and
/// at once while four other files of its folder or remote file system have waited for so long.
///
/// Responses have status 0; that of a `data` URL has a Content-Type. The other timeouts, headers, redirects, connections and
/// priorities have no effect. A file that changes while the handler decides is read as it is then.
public final class LocalTransport: Transport {
    /// For work that needs no disk: `data` URLs, stored responses, and the ends of cancelled transfers.
    static let memory = FileQueue(label: "alcedo.transport.data", mostThreads: 16)

    private let files: FileQueue

    public init() { files = .files }

    package init(files: FileQueue) { self.files = files }

    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transfer = LocalTransportTask(request, files: files)
        transfer.start(handler)
        return transfer
    }
}
