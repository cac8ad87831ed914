import Foundation
package import FoundationNetworking

/// The key of coalesced transfers: everything that the request sends, and what decides about its redirects.
///
/// A server can identify a user by any header field, so that callers get one response only if all fields are equal.
///
/// Loads to which the program has given one cache key, and that use one cache, get each other's image from there: so they are
/// coalesced although the queries of their URLs differ, as signatures do.
package struct CoalescingKey: Hashable, Sendable {
    /// The URL, or the cache key with the URL up to its query.
    private var place: String
    private let ownURL: Uncompared<String>
    var url: String { ownURL.value }
    private let method: String

    /// The cache of loads whose URLs may differ; nil for those of one URL.
    private var cache: ObjectIdentifier?

    /// As bytes: strings are equal if they look the same.
    private let headers: [String: [UInt8]]
    private let body: Data?

    /// Whether the jar's cookies are sent, which identify a user too.
    private var sendsCookies = true

    /// The name and the password for a challenge.
    private let credential: [[UInt8]?]

    /// Whose object decides about redirects; nil for none, or for one that can't be compared.
    private var redirectHandler: ObjectIdentifier?
    private(set) var hasRedirectHandler = false

    /// The validators of a cached response: a 304 must reach only callers who have its image.
    private var validators: String?

    /// Only callers with this key are coalesced; nil for all whose key is equal.
    private var id: UUID?

    /// The key of a request that is sent with `credential` after a challenge; nil if it has no URL.
    package init?(everythingOf request: URLRequest, credential: URLCredential?) {
        guard let url = request.url else { return nil }
        self.init(
            url, method: request.httpMethod, headers: request.allHTTPHeaderFields, body: request.httpBody,
            credential: credential)
        sendsCookies = request.httpShouldHandleCookies
    }

    /// The key of one load's request, which is coalesced only if others have this key.
    package init?(uniqueFor request: URLRequest) {
        self.init(everythingOf: request, credential: nil)
        id = UUID()
    }

    /// The key of a load of `url`, with the fields that a modifier has set in `request`.
    init(_ url: URL, _ request: URLRequest?, for caller: DownloadCaller) {
        self.init(
            url, method: request?.httpMethod, headers: request?.allHTTPHeaderFields,
            body: request?.httpBody, credential: caller.context.credential)
        sendsCookies = request?.httpShouldHandleCookies ?? true
        if let cacheKey = caller.sharedCacheKey(of: url), let target = caller.options.targetCache {
            // Requests to different servers are not the same, whatever the program says.
            place = cacheKey + " " + self.url.prefix { $0 != "?" && $0 != "#" }
            cache = ObjectIdentifier(target)
        }
        validators = caller.context.revalidation?.record.validators
        guard let handler = caller.options.redirectHandler else { return }
        (redirectHandler, hasRedirectHandler) = (handler.identity, true)
        // It may send what identifies a user, and handlers of such a type can't be compared.
        if redirectHandler == nil { id = UUID() }
    }

    private init(
        _ url: URL, method: String?, headers: [String: String]?, body: Data?, credential: URLCredential?
    ) {
        ownURL = Uncompared(value: url.absoluteString)
        place = ownURL.value
        self.method = method ?? "GET"
        let fields = (headers ?? [:]).map { ($0.key.lowercased(), Array($0.value.utf8)) }
        self.headers = Dictionary(fields) { $0 + Array(", ".utf8) + $1 }
        self.body = body
        self.credential = credential.map { [$0.user, $0.password].map { $0.map { Array($0.utf8) } } } ?? []
    }

    /// Whether loads of other URLs have this key.
    var isShared: Bool { place != url }

    /// The key for loads of this URL only.
    var ofOwnURL: CoalescingKey {
        var key = self
        (key.place, key.cache) = (url, nil)
        return key
    }

    /// The key of a remembered failure, which no cached response and no redirect handler has led to.
    var ofFailure: CoalescingKey {
        var key = ofOwnURL
        (key.validators, key.redirectHandler, key.hasRedirectHandler, key.id) = (nil, nil, false, nil)
        return key
    }
}

extension DownloadCaller {
    /// The cache key under which this load's image would serve loads of other URLs too; nil if it would not.
    ///
    /// Not if a modifier or a loader has changed the URL: the query may identify a user.
    fileprivate func sharedCacheKey(of url: URL) -> String? {
        guard case .network(let resource)? = context.source, resource.downloadURL == url,
            resource.cacheKey != url.cacheKey, options.reads([.memory, .disk]),
            !options.writeLayers.isDisjoint(with: [.memory, .disk])
        else { return nil }
        return resource.cacheKey
    }
}

/// A value that is no part of its owner's equality.
private struct Uncompared<Value: Sendable>: Hashable, Sendable {
    let value: Value

    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
