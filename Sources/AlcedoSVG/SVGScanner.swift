import AlcedoPixels

/// Reads XML's smallest parts, front to back.
struct SVGScanner {
    let text: [UInt8]
    private(set) var index = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { index >= text.count }

    /// The next byte; nil at the end.
    var peek: UInt8? { isAtEnd ? nil : text[index] }

    /// Skips `word`, if it is next.
    mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + count <= text.count else { return false }
        for offset in 0..<count where text[index + offset] != word.utf8Start[offset] { return false }
        index += count
        return true
    }

    /// The bytes before `word`, which is skipped too; nil if it does not occur.
    mutating func upTo(_ word: StaticString) -> ArraySlice<UInt8>? {
        let start = index
        while !isAtEnd {
            let end = index
            if take(word) { return text[start..<end] }
            index += 1
        }
        return nil
    }

    /// Skips past the next `word`; false if there is none.
    mutating func skip(past word: StaticString) -> Bool { upTo(word) != nil }

    mutating func skip() { index += 1 }

    mutating func skipSpace() {
        while let byte = peek, Self.isSpace(byte) { index += 1 }
    }

    /// The bytes up to the next one of the two.
    mutating func upTo(_ one: UInt8, or other: UInt8) -> ArraySlice<UInt8> {
        let start = index
        while !isAtEnd, text[index] != one, text[index] != other { index += 1 }
        return text[start..<index]
    }

    /// A name, empty if there is none.
    mutating func name() -> String {
        let start = index
        while let byte = peek, !Self.isSpace(byte), !Self.endsName.contains(byte) { index += 1 }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    /// `="value"`, without the quotes; nil if there is none.
    mutating func attributeValue() -> ArraySlice<UInt8>? {
        skipSpace()
        guard take("=") else { return nil }
        return quoted()
    }

    /// The text between two quotes; nil if there are none.
    mutating func quoted() -> ArraySlice<UInt8>? {
        skipSpace()
        if take("\"") { return upTo("\"") }
        if take("'") { return upTo("'") }
        return nil
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

    private static let endsName = Array("=/><\"'[]&;".utf8)
}

// MARK: - Document types

extension SVGScanner {
    /// Text that an entity stands for; nil for one that is not followed.
    typealias Entities = [String: [UInt8]?]

    /// Reads the rest of a document type declaration and its entities.
    ///
    /// External entities are ignored. An entity that contains markup or other entities is empty.
    mutating func doctype() throws(CodecError) -> Entities {
        var entities: Entities = [:]
        while let byte = peek {
            if take("<!ENTITY") {
                let (name, text) = try entity()
                if entities[name] == nil { entities[name] = .some(text) }
            } else if take("<!--") {
                guard skip(past: "-->") else { throw .truncated(.svg) }
            } else if take("<?") {
                guard skip(past: "?>") else { throw .truncated(.svg) }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                guard quoted() != nil else { throw .truncated(.svg) }
            } else if take("<!") {
                try declaration()
            } else if take(">") {
                return entities
            } else {
                index += 1
            }
        }
        throw .truncated(.svg)
    }

    /// The rest of an element, attribute list or notation.
    private mutating func declaration() throws(CodecError) {
        while let byte = peek {
            if take(">") { return }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                guard quoted() != nil else { break }
            } else {
                index += 1
            }
        }
        throw .truncated(.svg)
    }

    private mutating func entity() throws(CodecError) -> (String, [UInt8]?) {
        skipSpace()
        if take("%") {
            try declaration()
            return ("%", nil)
        }
        let name = name()
        var text: [UInt8]? = []
        if let value = quoted() {
            let isPlain = !value.contains { $0 == 0x3C || $0 == 0x26 || $0 == 0x25 }
            text = isPlain ? Array(value) : nil
        }
        try declaration()
        return (name, text)
    }
}
