/// The head of a request, as the client sent it.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The request target: neither percent-decoded nor normalised.
    ///
    /// It starts with `/` unless it is `*` or malformed: scheme and authority of the absolute form are removed.
    package var target: [UInt8]
    package var headers: HTTPHeaders
    /// The IP address of the connection's other end; nil on a Unix socket.
    package var client: String?

    package init(
        method: String = "GET", target: [UInt8], headers: HTTPHeaders = HTTPHeaders(), client: String? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.client = client
    }

    /// A target without scheme and authority: servers accept the absolute form, which clients send to proxies (RFC 9112, 3.2.2).
    static func originForm(of target: [UInt8]) -> [UInt8] {
        let schemes = ["http://", "https://"].map { Array($0.utf8) }
        guard
            let scheme = schemes.first(where: {
                target.count >= $0.count && zip(target, $0).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            })
        else { return target }
        let remainder = target[scheme.count...]
        let path = remainder.firstIndex { "/?".utf8.contains($0) }.map { Array(remainder[$0...]) } ?? []
        return path.first == UInt8(ascii: "/") ? path : Array("/".utf8) + path
    }
}

/// Header fields in order; names are case-insensitive.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0, value: $1) }
    }

    /// The first value of a field; setting replaces all of its values.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringCase(name) }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    /// All values of a field, joined by commas (RFC 9110, 5.3); nil if there is none.
    package func joined(_ name: String) -> String? {
        let values = fields.lazy.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Adds a value, beside those that the field has.
    package mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }
}

extension String {
    /// Whether the texts are equal apart from the case of ASCII letters.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
