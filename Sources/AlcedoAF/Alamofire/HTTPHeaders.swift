/// An ordered collection of header fields with unique, case-insensitive names.
public struct HTTPHeaders: Equatable, Hashable, Sendable {
    private var headers: [HTTPHeader] = []

    public init() {}

    /// A collection of `headers`; a later field replaces an earlier one of the same name.
    public init(_ headers: [HTTPHeader]) {
        for header in headers { update(header) }
    }

    public init(_ dictionary: [String: String]) {
        self.init(dictionary.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// The default fields of sessions: `Accept-Language` and `User-Agent`.
    ///
    /// The transport sets `Accept-Encoding`.
    public static let `default`: HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]

    /// Sets a field; replaces one whose name differs only in case.
    public mutating func add(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Sets a field; replaces one whose name differs only in case.
    public mutating func add(_ header: HTTPHeader) { update(header) }

    /// Sets a field; replaces one whose name differs only in case.
    public mutating func update(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Sets a field; replaces one whose name differs only in case.
    public mutating func update(_ header: HTTPHeader) {
        if let index = index(of: header.name) { headers[index] = header } else { headers.append(header) }
    }

    /// Removes a field, if there is one; ignores the case of `name`.
    public mutating func remove(name: String) {
        if let index = index(of: name) { headers.remove(at: index) }
    }

    /// The value of a field; nil if it does not exist; setting nil removes the field.
    public subscript(_ name: String) -> String? {
        get { value(for: name) }
        set { if let newValue { update(name: name, value: newValue) } else { remove(name: name) } }
    }

    /// The value of a field; nil if it does not exist.
    public func value(for name: String) -> String? { index(of: name).map { headers[$0].value } }

    public var dictionary: [String: String] {
        Dictionary(headers.map { ($0.name, $0.value) }) { _, last in last }
    }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return headers.firstIndex { $0.name.lowercased() == name }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// A collection of the literal's fields; a later field replaces an earlier one of the same name.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// A collection of the literal's fields; a later field replaces an earlier one of the same name.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { headers.startIndex }
    public var endIndex: Int { headers.endIndex }

    public subscript(position: Int) -> HTTPHeader { headers[position] }
}
