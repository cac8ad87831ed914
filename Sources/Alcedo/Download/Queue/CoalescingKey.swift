package import Foundation
package import FoundationNetworking

/// The key of coalesced transfers.
package enum CoalescingKey: Hashable, Sendable {
    /// The URL: the first caller's options determine the request.
    case url(String)

    /// The URL and the validators of a cached response: a 304 must reach only callers who have its image.
    case revalidation(url: String, validators: String)

    /// Everything that the request sends.
    case request(url: String, method: String, headers: [String: String], body: Data?)

    /// Unique: only callers with this key are coalesced.
    case own(UUID)
}

extension CoalescingKey {
    /// The key of a load of `url` that may revalidate a cached response.
    init(_ url: URL, revalidating revalidation: Revalidation?) {
        if let validators = revalidation?.record.validators {
            self = .revalidation(url: url.absoluteString, validators: validators)
        } else {
            self = .url(url.absoluteString)
        }
    }

    /// The key without the validators of a revalidation.
    var withoutValidators: CoalescingKey {
        if case .revalidation(let url, _) = self { .url(url) } else { self }
    }

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
