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

    /// What is kept of a response to `request`; nil if RFC 9111 does not allow to keep it.
    init?(_ result: TransferResult, to request: TransportRequest, requested: Date, received: Date) {
        let response = result.response
        let headers = response.headers
        let control = CacheControl(headers)
        let isPersonal = request.credential != nil || request.value(forHeader: "authorization") != nil
        guard Self.keptStatuses.contains(response.status), !control.noStore, !isPersonal || control.isForAll,
            let varying = Self.varying(headers, request)
        else { return nil }
        status = response.status
        httpVersion = response.httpVersion
        self.headers = headers.map { Field(name: $0.name, value: $0.value) }
        self.varying = varying
        self.requested = requested
        self.received = received
        body = result.body
    }

    /// A response that no request was answered with.
    package static let nothing = StoredResponse()

    private init() {
        (status, httpVersion, headers, varying) = (0, "", [], [:])
        (requested, received) = (.distantPast, .distantPast)
    }

    /// Statuses that are understood and whole; those that RFC 9110 (15.1) lets be kept without being told.
    private static let keptStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The first value of a field, whose name is in lower case.
    func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

    var control: CacheControl { CacheControl(headers.map { ($0.name, $0.value) }) }
}

// MARK: - Requests

extension StoredResponse {
    /// Whether it is an answer to this request too: the fields that it depends on are the same.
    func answers(_ request: TransportRequest) -> Bool {
        varying.allSatisfy { request.values(forHeader: $0.key) == $0.value }
    }

    /// What asks the server whether it is still good; none if it has nothing to tell it by.
    var conditions: [(name: String, value: String)] {
        let entityTag = value("etag").map { (name: "If-None-Match", value: $0) }
        let date = value("last-modified").map { (name: "If-Modified-Since", value: $0) }
        return [entityTag, date].compactMap(\.self)
    }

    /// What the request says in the fields that the response depends on; nil if it depends on others.
    private static func varying(
        _ headers: [(name: String, value: String)], _ request: TransportRequest
    ) -> [String: String]? {
        var varying: [String: String] = [:]
        for field in headers where field.name.lowercased() == "vary" {
            for name in field.value.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }) {
                let isHidden = name == "cookie" && request.cookies != nil
                guard name != "*", !isHidden else { return nil }
                varying[String(name)] = request.values(forHeader: String(name))
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
        let fixed: Set = [
            "connection", "content-encoding", "content-length", "content-range", "transfer-encoding",
        ]
        let news = response.headers.filter { !fixed.contains($0.name.lowercased()) }
        let changed = Set(news.map { $0.name.lowercased() })
        var copy = self
        copy.headers.removeAll { changed.contains($0.name.lowercased()) }
        copy.headers += news.map { Field(name: $0.name, value: $0.value) }
        copy.requested = requested
        copy.received = received
        return copy
    }

    /// The response as a handler is given it: with its age, and without cookies, which were kept when it came.
    func response(from url: String, at now: Date) -> TransportResponse {
        let left = headers.filter { !["age", "set-cookie"].contains($0.name.lowercased()) }
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
    /// The value of the first field called `name`, which is in lower case.
    func value(forHeader name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// All values of the fields called `name`, which is in lower case; empty without any.
    func values(forHeader name: String) -> String {
        headers.filter { $0.name.lowercased() == name }.map(\.value).joined(separator: ",")
    }
}
