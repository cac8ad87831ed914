package import Foundation

/// Resumes bodies that broke off, in front of another transport.
///
/// The body of a GET with a strong validator and a known length is stored while it arrives. If the transfer fails, is cancelled
/// or dies with its process, the next request for the URL asks for the rest (RFC 9110, 14.2 and 13.1.5). If the response does
/// not continue the stored part, the body is loaded from its start. The handler sees one whole response with status 200.
package final class ResumingTransport: Transport {
    /// Joins the stored bytes of a body and the rest, verifies the result, and calls back once.
    ///
    /// Called on the network thread, for bodies of any length: it copies and decodes elsewhere.
    package typealias Join =
        @Sendable (
            _ first: Data, _ rest: Data, _ joined: @escaping @Sendable (_ body: Data, _ isSound: Bool) -> Void
        ) -> Void

    let base: any Transport
    let store: any PartialStore
    let join: Join

    /// Resumes transfers of `base`; a resumed body that `join` finds damaged is loaded once more, from its start.
    package init(_ base: any Transport, store: any PartialStore, join: @escaping Join) {
        self.base = base
        self.store = store
        self.join = join
    }

    @discardableResult
    package func start(
        _ request: TransportRequest, handler: any TransportHandler
    ) -> any TransportTask {
        guard LocalScheme(of: request.address) == nil, request.mayBeResumed else {
            return base.start(request, handler: handler)
        }
        let transfer = ResumingTransportTask(request, transport: self)
        transfer.start(handler)
        return transfer
    }

    /// The key of a request's partial response: that of its response in a cache, and all header fields.
    ///
    /// A request with another credential, in whatever field, therefore has another key.
    static func key(of request: TransportRequest) -> String {
        let fields = request.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return ([CachingTransport.key(of: request)] + fields).joined(separator: "\n")
    }
}

extension TransportRequest {
    /// Whether it is a GET for a whole response, without conditions and without a credential.
    var mayBeResumed: Bool { mayBeCached && !isAuthenticated }
}

/// The storage of a ``ResumingTransport``; its methods may be called on any thread and return at once.
///
/// The calls for one key take effect in their order.
package protocol PartialStore: Sendable {
    /// Takes the partial response of `key`, and calls `found` once, on this thread or another.
    ///
    /// Until its file is kept or removed, no other request gets it. Nil if there is none, if it is in use or if the disk is slow.
    func take(
        _ key: String,
        _ found: @escaping @Sendable ((response: PartialResponse, file: any PartialFile)?) -> Void)

    /// Creates a file for the body of `response`, which replaces the one that is there.
    func makeFile(for key: String, _ response: PartialResponse) -> any PartialFile
}

/// The file of a body that is being received; its methods return at once.
package protocol PartialFile: AnyObject, Sendable {
    /// Adds the bytes of the body that start at `offset`.
    ///
    /// Does nothing if the file ends elsewhere, because the disk has failed or is slow: a file never has a gap.
    func append(_ bytes: Data, at offset: Int)

    /// Drops the bytes that were added since the file was taken.
    func rewind()

    /// Ends the use of the file, and keeps it for the next request.
    func keep()

    func remove()
}
