/// Reads an XML document tag by tag; comments, processing instructions and the document type are left out.
struct SVGTokens {
    struct Attribute {
        let name: [UInt8]

        /// With references resolved.
        let value: [UInt8]
    }

    enum Token {
        case start([UInt8], [Attribute], isEmpty: Bool)
        case end([UInt8])
        /// With references and CDATA sections resolved.
        case text([UInt8])
    }

    private let bytes: [UInt8]
    private var position = 0
    private var entities = SVGEntities()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// The next token; nil at the end.
    mutating func next() throws(SVGSanitizer.Malformed) -> Token? {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else { return .text(try text()) }
            if isNext("<!--") {
                position += 4
                try skip(past: "-->")
            } else if isNext("<![CDATA[") {
                let start = position + 9
                try skip(past: "]]>")
                return .text(Array(bytes[start..<(position - 3)]))
            } else if isNext("<?") {
                try skip(past: "?>")
            } else if isNext("<!") {
                try entities.read(bytes, from: &position)
            } else {
                return try tag()
            }
        }
        return nil
    }

    private mutating func text() throws(SVGSanitizer.Malformed) -> [UInt8] {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        return try entities.resolve(bytes[start..<position])
    }

    private mutating func tag() throws(SVGSanitizer.Malformed) -> Token {
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "/") {
            position += 1
            let name = try name()
            skipSpace()
            try expect(UInt8(ascii: ">"))
            return .end(name)
        }
        let element = try name()
        var attributes: [Attribute] = []
        while true {
            let hadSpace = skipSpace()
            guard position < bytes.count else {
                throw SVGSanitizer.Malformed(reason: "a tag is not closed")
            }
            switch bytes[position] {
            case UInt8(ascii: ">"):
                position += 1
                return .start(element, attributes, isEmpty: false)
            case UInt8(ascii: "/"):
                position += 1
                try expect(UInt8(ascii: ">"))
                return .start(element, attributes, isEmpty: true)
            default:
                guard hadSpace, attributes.count < 1000 else {
                    throw SVGSanitizer.Malformed(reason: "its attributes are malformed")
                }
                attributes.append(try attribute())
            }
        }
    }

    private mutating func attribute() throws(SVGSanitizer.Malformed) -> Attribute {
        let name = try name()
        skipSpace()
        try expect(UInt8(ascii: "="))
        skipSpace()
        guard position < bytes.count,
            bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw SVGSanitizer.Malformed(reason: "an attribute has no quotes") }
        let quote = bytes[position]
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != quote {
            guard bytes[position] != UInt8(ascii: "<") else {
                throw SVGSanitizer.Malformed(reason: "an attribute contains <")
            }
            position += 1
        }
        let value = bytes[start..<position]
        try expect(quote)
        return Attribute(name: name, value: try entities.resolve(value, inAttribute: true))
    }

    private mutating func name() throws(SVGSanitizer.Malformed) -> [UInt8] {
        let start = position
        while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
        guard position > start else { throw SVGSanitizer.Malformed(reason: "a name is missing") }
        return Array(bytes[start..<position])
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), 128...:
            true
        default: false
        }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isXMLSpace { position += 1 }
        return position > start
    }

    private mutating func expect(_ byte: UInt8) throws(SVGSanitizer.Malformed) {
        guard position < bytes.count, bytes[position] == byte else {
            throw SVGSanitizer.Malformed(reason: "a tag is malformed")
        }
        position += 1
    }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skip(past text: StaticString) throws(SVGSanitizer.Malformed) {
        let end: [UInt8] = text.withUTF8Buffer { Array($0) }
        while position < bytes.count {
            if bytes[position] == end[0], bytes[position...].starts(with: end) {
                position += end.count
                return
            }
            position += 1
        }
        throw SVGSanitizer.Malformed(reason: "it ends early")
    }
}
