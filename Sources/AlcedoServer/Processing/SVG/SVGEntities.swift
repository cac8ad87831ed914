/// The entities that a document type declares: drawing programs write namespaces so.
///
/// Only plain texts are taken, of which none contains another.
struct SVGEntities {
    private var values: [[UInt8]: [UInt8]] = [
        Array("amp".utf8): Array("&".utf8), Array("lt".utf8): Array("<".utf8),
        Array("gt".utf8): Array(">".utf8),
        Array("quot".utf8): Array("\"".utf8), Array("apos".utf8): Array("'".utf8),
    ]
    /// Bytes that references may still expand to: one of a few bytes may stand for a thousand.
    private var budget = 1 << 20

    /// Reads `<!DOCTYPE …>`; `position` is after it then.
    mutating func read(_ bytes: [UInt8], from position: inout Int) throws(SVGSanitizer.Malformed) {
        var quote: UInt8?
        var depth = 0
        var declaration: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            declaration.append(byte)
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "<"):
                depth += 1
                declaration = [byte]
            case UInt8(ascii: ">"):
                add(declaration)
                declaration = []
                depth -= 1
                if depth == 0 { return }
            default: break
            }
        }
        throw SVGSanitizer.Malformed(reason: "its document type is not closed")
    }

    private mutating func add(_ declaration: [UInt8]) {
        let start = Array("<!ENTITY".utf8)
        guard declaration.starts(with: start), values.count < 64, declaration.count < 1024 else { return }
        let rest = declaration.dropFirst(start.count).drop(while: \.isXMLSpace)
        let name = rest.prefix { !$0.isXMLSpace }
        let definition = rest.dropFirst(name.count).drop(while: \.isXMLSpace)
        // The first declaration of a name counts, and XML's own cannot be redefined.
        guard let quote = definition.first, "\"'".utf8.contains(quote), !name.isEmpty,
            values[Array(name)] == nil
        else { return }
        let value = definition.dropFirst().prefix { $0 != quote }
        guard !value.contains(where: { "<>&%\"'".utf8.contains($0) }) else { return }
        values[Array(name)] = Array(value)
    }

    /// `text` with the entities and characters in place of their references; in an attribute, a space for
    /// white space.
    ///
    /// Others than XML's own and declared entities are an error, and so are characters that XML does not allow.
    mutating func resolve(_ text: ArraySlice<UInt8>, inAttribute: Bool = false) throws(SVGSanitizer
        .Malformed)
        -> [UInt8]
    {
        func literal(_ bytes: some Sequence<UInt8>) -> [UInt8] {
            bytes.map { inAttribute && $0.isXMLSpace ? 0x20 : $0 }
        }
        var result: [UInt8] = []
        var rest = text
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += literal(rest[..<ampersand])
            guard let end = rest[ampersand...].firstIndex(of: UInt8(ascii: ";")) else {
                throw SVGSanitizer.Malformed(reason: "an entity is not closed")
            }
            let name = rest[(ampersand + 1)..<end]
            if name.first == UInt8(ascii: "#") {
                result += try Self.character(name.dropFirst())
            } else if let value = values[Array(name)] {
                budget -= value.count
                guard budget > 0 else {
                    throw SVGSanitizer.Malformed(reason: "its entities are too long")
                }
                result += literal(value)
            } else {
                throw SVGSanitizer.Malformed(reason: "an entity is not declared")
            }
            rest = rest[(end + 1)...]
        }
        return result + literal(rest)
    }

    /// The character that `65` or `x41` stands for.
    private static func character(_ number: ArraySlice<UInt8>) throws(SVGSanitizer.Malformed) -> [UInt8] {
        let isHexadecimal = number.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? number.dropFirst() : number
        guard digits.allSatisfy({ isHexadecimal ? $0.hexValue != nil : $0.isDigit }), digits.count <= 10,
            let value = UInt32(digits.text, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(value), isAllowed(scalar)
        else { throw SVGSanitizer.Malformed(reason: "a character reference is invalid") }
        return Array(String(scalar).utf8)
    }

    /// Whether a document may contain the character (XML 1.0, 2.2).
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d, 0x20...0xfffd, 0x1_0000...: true
        default: false
        }
    }
}
