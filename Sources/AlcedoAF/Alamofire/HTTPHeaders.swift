/// Header fields in order; no two have the same name, whatever its case.
public struct HTTPHeaders: Equatable, Hashable, Sendable {
    private var headers: [HTTPHeader] = []

    /// No fields.
    public init() {}

    /// These fields; a later one takes the place of an earlier one.
    public init(_ headers: [HTTPHeader]) {
        for header in headers { update(header) }
    }

    /// The fields of a dictionary.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// What every session sends: the user's languages and the program's name.
    ///
    /// `Accept-Encoding` is the transport's own matter.
    public static let `default`: HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]

    /// Sets a field.
    public mutating func add(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Sets a field.
    public mutating func add(_ header: HTTPHeader) { update(header) }

    /// Sets a field.
    public mutating func update(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Sets a field.
    public mutating func update(_ header: HTTPHeader) {
        if let index = index(of: header.name) { headers[index] = header } else { headers.append(header) }
    }

    /// Removes a field.
    public mutating func remove(name: String) {
        if let index = index(of: name) { headers.remove(at: index) }
    }

    /// The value of a field; nil if there is none, and setting nil removes it.
    public subscript(_ name: String) -> String? {
        get { value(for: name) }
        set { if let newValue { update(name: name, value: newValue) } else { remove(name: name) } }
    }

    /// The value of a field; nil if there is none.
    public func value(for name: String) -> String? { index(of: name).map { headers[$0].value } }

    /// Names and values.
    public var dictionary: [String: String] {
        Dictionary(headers.map { ($0.name, $0.value) }) { _, last in last }
    }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return headers.firstIndex { $0.name.lowercased() == name }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields that are written here; a later one takes the place of an earlier one.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// The fields that are written here; a later one takes the place of an earlier one.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The first place.
    public var startIndex: Int { headers.startIndex }

    /// The place after the last.
    public var endIndex: Int { headers.endIndex }

    /// The field at a place.
    public subscript(position: Int) -> HTTPHeader { headers[position] }
}
