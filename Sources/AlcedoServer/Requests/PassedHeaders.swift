import AlcedoHTTPServer

/// Headers of a client that the origin of its source gets, because the settings name them.
///
/// What an origin sends may depend on them, so results, sources and running work are kept apart by their values.
struct PassedHeaders: Sendable {
    let fields: [(name: String, value: String)]

    /// Tells apart different fields; empty without any.
    ///
    /// A hash, as keys of caches are not to contain credentials.
    let key: String

    /// The server's own fields of these names, which another host gets.
    private(set) var replaced: [(name: String, value: String)] = []

    static let none = PassedHeaders(fields: [], key: "")

    func contains(_ name: String) -> Bool { fields.contains { $0.name.equalsIgnoringCase(name) } }

    /// Puts the fields in the place of the server's own.
    mutating func replace(in headers: inout [(name: String, value: String)]) {
        replaced = headers.filter { contains($0.name) }
        headers.removeAll { contains($0.name) }
        headers += fields
    }

    /// Puts the server's own fields back.
    func restore(in headers: inout [(name: String, value: String)]) {
        headers.removeAll { contains($0.name) }
        headers += replaced
    }

    private init(fields: [(name: String, value: String)], key: String) {
        (self.fields, self.key) = (fields, key)
    }

    /// The fields of `headers` with one of the `names`, for an http source; other sources have no headers.
    init(_ names: [String], of headers: HTTPHeaders, for source: ImageSource) throws(RequestFailure) {
        guard case .http = source else {
            self = .none
            return
        }
        let fields = names.compactMap { name -> (name: String, value: String)? in
            let values = headers.fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
            // HTTP/2 splits cookies, which no list has: RFC 9113, 8.2.3.
            let separator = name.equalsIgnoringCase("Cookie") ? "; " : ", "
            return values.isEmpty ? nil : (name, values.joined(separator: separator))
        }
        guard !fields.isEmpty else {
            self = .none
            return
        }
        let text = fields.map { "\($0.name.lowercased()):\($0.value)\n" }.joined()
        guard let hash = MessageCode.hash(of: Array(text.utf8)) else {
            throw .internalError("headers to pass on could not be hashed: libcrypto failed")
        }
        self.init(fields: fields, key: "\nheaders " + Base64URL.encoded(hash).text)
    }
}

extension Setting {
    /// The names of headers that clients may have passed on; not those that connections, caches and ranges need.
    static func passedHeaders(_ text: String) throws(Rejected) -> [String] {
        var names: [String] = []
        for name in try list(text) where !names.contains(where: { $0.equalsIgnoringCase(name) }) {
            names.append(name)
        }
        let tokens = Set("!#$%&'*+-.^_`|~".utf8)
        for name in names {
            let lowercased = name.lowercased()
            guard name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || tokens.contains($0) }),
                !ownHeaders.contains(lowercased), !lowercased.hasPrefix("if-"),
                !lowercased.hasPrefix("proxy-")
            else {
                throw Rejected(
                    "names of headers, such as Cookie or Authorization, but none that the server sets itself")
            }
        }
        return names
    }

    private static let ownHeaders: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "range", "te",
        "traceparent", "trailer", "transfer-encoding", "upgrade",
    ]
}
