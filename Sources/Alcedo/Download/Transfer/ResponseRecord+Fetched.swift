import AlcedoTransport
import Foundation

extension ResponseRecord {
    /// The record of a response with these bytes; nil if RFC 9111 forbids storing it.
    init?(_ fetched: FetchedResponse, body data: Data) {
        let head = StoredResponse(
            head: fetched.response, bodyBytes: data.count, to: fetched.request, requested: fetched.requested,
            received: fetched.received)
        guard var head else { return nil }
        // The transport decodes the body, so that the picture does not vary.
        head.varying["accept-encoding"] = nil
        self.init(
            head, body: BodyIdentity(data),
            redirectTarget: fetched.isRedirected ? Self.hash(fetched.response.url.absoluteString) : nil)
    }
}
