package import Foundation

/// A stored response, with the data to decide whether it may be used.
package struct StoredResponse: Sendable, Codable {
    package struct Field: Sendable, Codable, Equatable {
        package var name: String
        package var value: String
    }

    package var status: Int
    package var httpVersion: String
    package var headers: [Field]

    /// The request's values of the `Vary` fields; names are in lower case.
    package var varying: [String: String]

    package var requested: Date
    package var received: Date

    /// The body; stored separately from the rest, which is text.
    package var body = Data()

    private enum CodingKeys: CodingKey { case status, httpVersion, headers, varying, requested, received }

    /// A response to `request`; nil if it cannot be a whole image, or RFC 9111 forbids storing it.
    ///
    /// With `isAuthenticated` a credential was sent that is not in the request.
    package init?(
        _ result: TransferResult, to request: TransportRequest, requested: Date, received: Date,
        isAuthenticated: Bool = false
    ) {
        let response = result.response
        let isAuthenticated = isAuthenticated || request.isAuthenticated
        guard let varying = Self.varying(response.headers, request, isAuthenticated: isAuthenticated) else {
            return nil
        }
        self.init(response, varying: varying, requested: requested, received: received)
        body = result.body
        guard mayBeStored(isAuthenticated: isAuthenticated) else { return nil }
    }

    /// The head of a response, for a cache that keeps images created from its body; nil if RFC 9111 forbids storing it.
    ///
    /// Unlike a cache of responses, it may keep those to requests with a credential: its keys are the program's own.
    package init?(
        head response: TransportResponse, bodyBytes: Int, to request: TransportRequest, requested: Date,
        received: Date
    ) {
        guard request.mayBeCached,
            let varying = Self.varying(response.headers, request, isAuthenticated: true)
        else { return nil }
        self.init(response, varying: varying, requested: requested, received: received)
        guard let bounded = boundedHead(bodyBytes: bodyBytes) else { return nil }
        self = bounded
    }

    private init(
        _ response: TransportResponse, varying: [String: String], requested: Date, received: Date
    ) {
        (status, httpVersion, headers) = (response.status, response.httpVersion, Self.kept(response.headers))
        (self.varying, self.requested, self.received) = (varying, requested, received)
    }

    /// A response that matches no request.
    package static let nothing = StoredResponse()

    private init() {
        (status, httpVersion, headers, varying) = (0, "", [], [:])
        (requested, received) = (.distantPast, .distantPast)
    }

    /// Whether it has the status of a whole image, and nothing forbids storing it.
    func mayBeStored(isAuthenticated: Bool) -> Bool {
        mayBeStored(isAuthenticated: isAuthenticated, bodyBytes: body.count)
    }

    /// The head of a response that may be stored; nil if it must not be, or its headers are too large.
    ///
    /// Large headers are reduced to those that a decision about freshness needs.
    package func boundedHead(bodyBytes: Int) -> StoredResponse? {
        guard mayBeStored(isAuthenticated: false, bodyBytes: bodyBytes) else { return nil }
        guard headerBytes > Self.headerLimit else { return self }
        let needed: Set = [
            "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "pragma",
        ]
        var copy = self
        copy.headers.removeAll { !needed.contains($0.name.lowercased()) }
        return copy.headerBytes <= Self.headerLimit ? copy : nil
    }

    private func mayBeStored(isAuthenticated: Bool, bodyBytes: Int) -> Bool {
        let control = control
        return Self.keptStatuses.contains(status) && bodyBytes > 0 && !control.noStore
            && !(isAuthenticated && control.forbidsSharing(isAuthenticated: true))
            && headerBytes <= max(Self.headerLimit, bodyBytes)
    }

    /// Of the cacheable statuses (RFC 9110, 15.1) those of a whole image: no redirects and failures.
    private static let keptStatuses: Set<Int> = [200, 203]

    /// Most bytes of headers for a body that is smaller than these.
    private static let headerLimit = 16 << 10

    private var headerBytes: Int { headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The approximate bytes in memory.
    package var byteCount: Int {
        let texts = headerBytes + varying.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        // A string of more than 15 bytes has an allocation of its own.
        return body.count + texts + (headers.count + varying.count) * 128 + 512
    }

    /// The first value of a field, whose name is in lower case.
    package func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    var control: CacheControl { CacheControl(headers.map { ($0.name, $0.value) }) }
}

// MARK: - Requests

extension StoredResponse {
    /// Whether it matches this request: the values of the `Vary` fields are the same.
    package func matches(_ request: TransportRequest) -> Bool {
        Self.keptStatuses.contains(status)
            && varying.allSatisfy { request.values(forHeader: $0.key) == $0.value }
    }

    /// The header fields that revalidate it; none without a validator.
    ///
    /// A tag is sent as the server wrote it, even without quotes, unless it is so long that a server might reject the request
    /// for its size: then no revalidation would ever succeed. A date that is none is not sent (RFC 9110, 13.1.3).
    package var conditions: [(name: String, value: String)] {
        let tags = value("etag").flatMap { (1...Self.tagLimit).contains($0.utf8.count) ? $0 : nil }
        let date = value("last-modified").flatMap { HTTPDate.read($0) == nil ? nil : $0 }
        return [
            tags.map { (name: "If-None-Match", value: $0) },
            date.map { (name: "If-Modified-Since", value: $0) },
        ].compactMap(\.self)
    }

    /// Most bytes of an entity tag in a request.
    private static let tagLimit = 1 << 10

    /// The request's values of the `Vary` fields; nil if these are `*` or secrets, which are not stored.
    private static func varying(
        _ headers: [(name: String, value: String)], _ request: TransportRequest, isAuthenticated: Bool
    ) -> [String: String]? {
        var varying: [String: String] = [:]
        for field in headers where field.name.lowercased() == "vary" {
            for name in field.value.lowercased().split(whereSeparator: { ", \t".contains($0) }) {
                let value = request.values(forHeader: String(name))
                switch name {
                case "*": return nil
                case "cookie" where request.cookies != nil || !value.isEmpty: return nil
                case "authorization" where isAuthenticated: return nil
                case "proxy-authorization": return nil
                default: varying[String(name)] = value
                }
            }
        }
        return varying
    }
}

// MARK: - Responses

extension StoredResponse {
    /// The response updated by a 304 (RFC 9111, 3.2); nil if that has another entity tag.
    package func revalidated(by response: TransportResponse, requested: Date, received: Date)
        -> StoredResponse?
    {
        func plain(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        if let own = value("etag"), let other = response.value(forHeader: "etag"), plain(own) != plain(other)
        {
            return nil
        }
        let fixed: Set = ["content-encoding", "content-length", "content-range"]
        let news = Self.kept(response.headers).filter { !fixed.contains($0.name.lowercased()) }
        // The old Age and Date no longer apply.
        let changed = Set(news.map { $0.name.lowercased() }).union(["age", "date"])
        var copy = self
        copy.headers.removeAll { changed.contains($0.name.lowercased()) }
        copy.headers += news
        copy.requested = requested
        copy.received = received
        return copy
    }

    /// The stored fields: those of one connection (RFC 9111, 3.1) and cookies, which the jar has, are dropped.
    static func kept(_ headers: [(name: String, value: String)]) -> [Field] {
        var dropped: Set = [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-connection",
            "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade",
        ]
        for field in headers where field.name.lowercased() == "connection" {
            let named = field.value.lowercased().split { ", \t".contains($0) }
            dropped.formUnion(named.map(String.init))
        }
        return headers.filter { !dropped.contains($0.name.lowercased()) }
            .map { Field(name: $0.name, value: $0.value) }
    }

    /// The response for a handler, with its age.
    package func response(from url: URL, at now: Date) -> TransportResponse {
        let left = headers.filter { $0.name.lowercased() != "age" }
        let age = (name: "Age", value: "\(Int(min(Freshness.age(of: self, at: now), 1e9)))")
        return TransportResponse(
            url: url,
            status: status,
            httpVersion: httpVersion,
            headers: left.map { ($0.name, $0.value) } + [age],
            expectedBytes: Int64(body.count)
        )
    }
}

extension TransportRequest {
    /// The fields that identify a user, in lower case.
    static let userFields: Set = ["authorization", "cookie", "proxy-authorization"]

    /// Whether it has what identifies a user: a credential, a field of one, a `Cookie` field, or user info in its URL.
    ///
    /// The cookies of the jar do not count: they are those of all requests with the jar.
    package var isAuthenticated: Bool {
        credential != nil || headers.contains { Self.userFields.contains($0.name.lowercased()) }
            || hasUserInfo
    }

    private var hasUserInfo: Bool {
        guard address.utf8.contains(UInt8(ascii: "@")) else { return false }
        let authority = address.utf8.drop { $0 != .slash }.drop { $0 == .slash }.prefix {
            !"/?#".utf8.contains($0)
        }
        return authority.contains(UInt8(ascii: "@"))
    }

    /// All values of the fields called `name`, which is in lower case; empty without any.
    func values(forHeader name: String) -> String {
        headers.filter { $0.name.lowercased() == name }.map(\.value).joined(separator: ",")
    }
}
