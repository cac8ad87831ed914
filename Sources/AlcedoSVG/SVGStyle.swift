/// The properties of a style that affect the work of drawing.
struct SVGStyle {
    /// The parts of the document that `url(#…)` names.
    private(set) var references: Set<[UInt8]> = []
    /// Whether it may ask for a layer: a picture of its own that is laid over the others.
    private(set) var makesLayers = false
    private(set) var hasMarkers = false

    init() {}

    init(_ text: String) { add(text) }

    /// Reads a style attribute, a sheet, or a value in which there are references.
    mutating func add(_ text: String) {
        let text = Array(text.utf8)
        var scanner = SVGScanner(Self.lowercased(text[...]))
        while !scanner.isAtEnd {
            let before = scanner.index == 0 ? nil : text[scanner.index - 1]
            if scanner.take("(") {
                guard scanner.text[..<(scanner.index - 1)].suffix(3).elementsEqual("url".utf8) else {
                    continue
                }
                scanner.skipSpace()
                let quote =
                    scanner.take("\"") ? UInt8(ascii: "\"") : scanner.take("'") ? UInt8(ascii: "'") : nil
                let end = quote ?? UInt8(ascii: ")")
                let range = scanner.upTo(end, or: end).indices
                let target = text[range]
                guard target.first == UInt8(ascii: "#") else { continue }
                var name = Array(target.dropFirst())
                while quote == nil, name.last.map(SVGScanner.isSpace) == true { name.removeLast() }
                references.insert(name)
            } else if scanner.take("opacity") {
                // As the end of fill-opacity it makes none.
                if before != UInt8(ascii: "-") { makesLayers = true }
            } else if scanner.take("mask") || scanner.take("filter") || scanner.take("blend")
                || scanner.take("isolation")
            {
                makesLayers = true
            } else if scanner.take("marker") {
                hasMarkers = true
            } else {
                scanner.skip()
            }
        }
    }

    /// In lower case and without comments.
    static func plain(_ style: String) -> [UInt8] { withoutComments(lowercased(Array(style.utf8)[...])) }

    static func lowercased(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    }

    static func withoutComments(_ style: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var scanner = SVGScanner(style)
        while !scanner.isAtEnd {
            if scanner.take("/*") {
                guard scanner.skip(past: "*/") else { break }
                plain.append(UInt8(ascii: " "))
            } else if let byte = scanner.peek {
                plain.append(byte)
                scanner.skip()
            }
        }
        return plain
    }
}
