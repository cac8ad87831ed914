package import Foundation
package import FoundationNetworking

/// What callers must have in common to share a transfer.
package enum CoalescingKey: Hashable, Sendable {
    /// The URL: who asks first says how it is loaded.
    case url(String)

    /// Everything that is sent.
    case request(url: String, method: String, headers: [String: String], body: Data?)

    /// Nothing: the transfer has one owner, though the owner may be several callers.
    case own(UUID)
}

extension CoalescingKey {
    /// Everything that `request` sends; nil if it has no URL.
    package init?(everythingOf request: URLRequest) {
        guard let url = request.url else { return nil }
        let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        self = .request(
            url: url.absoluteString,
            method: request.httpMethod ?? "GET",
            headers: Dictionary(fields) { "\($0), \($1)" },
            body: request.httpBody
        )
    }
}
