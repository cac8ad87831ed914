import AlcedoTransport
import Foundation

/// Where the objects of a scheme are, and what authorizes requests for them.
///
/// Only the operator chooses hosts, and no redirect is followed to another one.
protocol SourceStore: Sendable {
    /// Sends a request for a URL with the headers that authorize it.
    typealias Send =
        @Sendable (
            _ url: String, _ authorization: [(name: String, value: String)], _ isFirst: Bool
        ) async -> Result<RemoteSource.Response, RequestFailure>

    /// The response to a GET for an object, which `send` sends, perhaps more than once.
    ///
    /// `headers` are those that `send` adds itself, and which a signature may have to cover.
    func response(
        for object: ObjectAddress, adding headers: [(name: String, value: String)],
        by transport: any Transport, now: () -> Date, send: Send
    ) async -> Result<RemoteSource.Response, RequestFailure>

    /// Applies the store's own limits.
    func limit(_ timeouts: inout TransportTimeouts)
}

extension SourceStore {
    func limit(_ timeouts: inout TransportTimeouts) {}
}

extension ObjectStore.Endpoint {
    /// The URL.
    var text: String { "\(scheme)://\(host)\(path)" }

    /// The path of an object in its bucket, and the URL with its version.
    func place(of object: ObjectAddress) -> (path: String, url: String) {
        let path = "\(self.path)/\(object.bucket)/\(object.key)"
        let query = object.version.map { "?\(object.scheme.versionParameter)=\($0)" } ?? ""
        return (path, "\(scheme)://\(host)\(path)\(query)")
    }
}
