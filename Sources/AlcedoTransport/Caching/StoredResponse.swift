package import Foundation

/// A response that is kept, with what is needed to tell whether it may be used.
package struct StoredResponse: Sendable, Codable {
    /// A header field.
    package struct Field: Sendable, Codable, Equatable {
        package var name: String
        package var value: String
    }

    package var status: Int
    package var httpVersion: String
    package var headers: [Field]

    /// What the request said in the fields that the response depends on; their names are in lower case.
    package var varying: [String: String]

    /// When the request was sent.
    package var requested: Date

    /// When the response was here.
    package var received: Date

    /// The bytes; kept apart from the rest, which is written as text.
    package var body = Data()

    private enum CodingKeys: CodingKey { case status, httpVersion, headers, varying, requested, received }

    /// What is kept of a response to `request`; nil if it can't be a whole image, or RFC 9111 does not allow to keep it.
    ///
    /// With `isAuthenticated` a credential was sent that is not in the request.
    init?(
        _ result: TransferResult, to request: TransportRequest, requested: Date, received: Date,
        isAuthenticated: Bool = false
    ) {
        let response = result.response
        let isAuthenticated = isAuthenticated || request.isAuthenticated
        guard let varying = Self.varying(response.headers, request, isAuthenticated: isAuthenticated) else {
            return nil
        }
        status = response.status
        httpVersion = response.httpVersion
        headers = Self.kept(response.headers)
        self.varying = varying
        self.requested = requested
        self.received = received
        body = result.body
        guard mayBeStored(isAuthenticated: isAuthenticated) else { return nil }
    }

    /// A response that no request was answered with.
    package static let nothing = StoredResponse()

    private init() {
        (status, httpVersion, headers, varying) = (0, "", [], [:])
        (requested, received) = (.distantPast, .distantPast)
    }

    /// Whether it has a status that a whole image comes with, and nothing forbids to keep it.
    func mayBeStored(isAuthenticated: Bool) -> Bool {
        let control = control
        return Self.keptStatuses.contains(status) && !body.isEmpty && !control.noStore
            && (!isAuthenticated || control.allowsSharing)
            && headerBytes <= max(Self.headerLimit, body.count)
    }

    /// Of the statuses that RFC 9110 (15.1) lets be kept those of a whole image: not of a redirect, or of a failure.
    private static let keptStatuses: Set<Int> = [200, 203]

    /// How many bytes of headers a body may have that is smaller than they are.
    private static let headerLimit = 16 << 10

    private var headerBytes: Int { headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The bytes that it takes in memory, about.
    package var byteCount: Int {
        let texts = headerBytes + varying.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        // A text of over 15 bytes has an allocation of its own.
        return body.count + texts + (headers.count + varying.count) * 128 + 512
    }

    /// The first value of a field, whose name is in lower case.
    func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    var control: CacheControl { CacheControl(headers.map { ($0.name, $0.value) }) }
}

// MARK: - Requests

extension StoredResponse {
    /// Whether it is an answer to this request too: the fields that it depends on are the same.
    func answers(_ request: TransportRequest) -> Bool {
        Self.keptStatuses.contains(status)
            && varying.allSatisfy { request.values(forHeader: $0.key) == $0.value }
    }

    /// What asks the server whether it is still good; none if it has nothing to tell it by.
    var conditions: [(name: String, value: String)] {
        let entityTag = value("etag").map { (name: "If-None-Match", value: $0) }
        let date = value("last-modified").map { (name: "If-Modified-Since", value: $0) }
        return [entityTag, date].compactMap(\.self)
    }

    /// What the request says in the fields that the response depends on; nil if it depends on others, or on secrets, which
    /// are not written down.
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
    /// The same after the server has said that it is still good (RFC 9111, 3.2); nil if it spoke of another.
    func confirmed(by response: TransportResponse, requested: Date, received: Date) -> StoredResponse? {
        func plain(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        if let own = value("etag"), let other = response.value(forHeader: "etag"), plain(own) != plain(other)
        {
            return nil
        }
        let fixed: Set = ["content-encoding", "content-length", "content-range"]
        let news = Self.kept(response.headers).filter { !fixed.contains($0.name.lowercased()) }
        // Those of before say nothing of how old it is from now on.
        let changed = Set(news.map { $0.name.lowercased() }).union(["age", "date"])
        var copy = self
        copy.headers.removeAll { changed.contains($0.name.lowercased()) }
        copy.headers += news
        copy.requested = requested
        copy.received = received
        return copy
    }

    /// The fields that are kept: not those of one connection (RFC 9111, 3.1), and no cookies, which were taken when they came.
    private static func kept(_ headers: [(name: String, value: String)]) -> [Field] {
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

    /// The response as a handler is given it, with its age.
    func response(from url: String, at now: Date) -> TransportResponse {
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
    /// Whether it says who asks.
    var isAuthenticated: Bool { credential != nil || value(forHeader: "authorization") != nil }

    /// The value of the first field called `name`, which is in lower case.
    func value(forHeader name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// All values of the fields called `name`, which is in lower case; empty without any.
    func values(forHeader name: String) -> String {
        headers.filter { $0.name.lowercased() == name }.map(\.value).joined(separator: ",")
    }
}
