/// An RDF document (ISO 16684-1), read without entities, document types and recursion.
struct XMPDocument {
    private struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
        /// With the white space in front.
        var whole: Range<Int>
    }

    private enum Node {
        case start(name: Range<Int>, attributes: Range<Int>, whole: Range<Int>, isEmpty: Bool)
        case end(whole: Range<Int>)
        case text(Range<Int>)
    }

    /// UTF-8.
    private let bytes: [UInt8]
    private var nodes: [Node] = []
    private var attributes: [Attribute] = []

    /// What prefixes stand for; of several declarations of one the first.
    private var namespaces: [String: String] = [:]

    /// Limits of elements, texts and attributes, and of elements within each other.
    private static let (mostNodes, mostLevels) = (1 << 16, 64)

    /// Nil unless `xmp` is well-formed; one in UTF-16 is converted.
    init?(_ xmp: [UInt8]) {
        bytes = Self.utf8(xmp)
        guard read() else { return nil }
        for attribute in attributes where bytes[attribute.name].starts(with: "xmlns:".utf8) {
            let prefix = text(attribute.name.dropFirst(6))
            if namespaces[prefix] == nil { namespaces[prefix] = text(attribute.value) }
        }
    }

    private static func utf8(_ xmp: [UInt8]) -> [UInt8] {
        guard xmp.count >= 2, xmp.starts(with: [0xFE, 0xFF]) || xmp.starts(with: [0xFF, 0xFE]) else {
            return xmp
        }
        let high = xmp[0] == 0xFE ? 0 : 1
        let units = stride(from: 2, to: xmp.count - 1, by: 2).map {
            UInt16(xmp[$0 + high]) << 8 | UInt16(xmp[$0 + 1 - high])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// A name's namespace, and the name in it.
    private func resolved(_ name: Range<Int>) -> (namespace: String, name: String) {
        let parts = text(name).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return ("", parts.first.map(String.init) ?? "") }
        let prefix = String(parts[0])
        return (namespaces[prefix] ?? XMPNamespace.usual[prefix] ?? "", String(parts[1]))
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// Namespaces by what their names are for.
enum XMPNamespace {
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let gainMap = "http://ns.adobe.com/hdr-gain-map/1.0/"

    /// What prefixes stand for that a document does not declare.
    static let usual = [
        "dc": dublinCore, "hdrgm": gainMap,
        "Container": "http://ns.google.com/photos/1.0/container/", "xmpNote": "http://ns.adobe.com/xmp/note/",
    ]

    /// Pictures, sounds and films that were in the file beside the picture, or that are in the document itself.
    private static let beside = [
        "http://ns.adobe.com/hdr-gain-map/", "http://ns.apple.com/HDRGainMap/",
        "http://ns.google.com/photos/1.0/container/", "http://ns.google.com/photos/1.0/image/",
        "http://ns.google.com/photos/1.0/depthmap/", "http://ns.google.com/photos/1.0/audio/",
        "http://ns.google.com/photos/dd/",
    ]

    /// Whether a property announces what an encoded picture does not have: a gain map, a film, a depth map, a
    /// thumbnail of the picture before it was changed, the rest of the document.
    static func announcesMore(_ namespace: String, _ name: String) -> Bool {
        beside.contains { namespace.hasPrefix($0) } || name == "HasExtendedXMP" || name == "Thumbnails"
            || name.hasPrefix("MicroVideo") || name.hasPrefix("MotionPhoto")
    }

    /// Whether a property says where the picture was taken, or what place it shows.
    static func isLocation(_ name: String) -> Bool {
        let name = name.lowercased()
        return locations.contains(name)
            || ["gps", "latitude", "longitude", "longtitude", "location", "altitude"].contains {
                name.contains($0)
            }
    }

    private static let locations: Set = [
        "city", "state", "country", "countrycode", "countryname", "provincestate", "province-state",
        "worldregion",
        "sublocation", "sub-location",
    ]
}

// MARK: - Values

extension XMPDocument {
    /// The texts of a property, by default of Dublin Core, in their order, with their languages; at most `count`.
    func texts(
        of property: String, in namespace: String = XMPNamespace.dublinCore, count: Int, length: Int
    ) -> [(language: String?, text: String)] {
        var found: [(language: String?, text: String)] = []
        var depth = 0
        // The level of the property that is being read.
        var start: Int?
        var language: String?
        var (buffer, hasItems) = ([UInt8](), false)
        func add() {
            let text = MetadataText.trimmed(decoded(buffer[...]))
            if !text.isEmpty, found.count < count { found.append((language, text)) }
            (language, buffer) = (nil, [])
        }
        func isProperty(_ name: Range<Int>) -> Bool {
            guard bytes[name].reversed().starts(with: property.utf8.reversed()) else { return false }
            return resolved(name) == (namespace, property)
        }
        for node in nodes {
            switch node {
            case .start(let name, let indices, _, let isEmpty):
                for attribute in attributes[indices] where isProperty(attribute.name) {
                    buffer = Array(bytes[attribute.value].prefix(length))
                    add()
                }
                if start == nil, isProperty(name), !isEmpty {
                    (start, hasItems) = (depth, false)
                } else if start != nil, text(name).hasSuffix(":li") {
                    (buffer, hasItems) = ([], true)
                    let attribute = attributes[indices].first { text($0.name) == "xml:lang" }
                    language = attribute.map { text($0.value) }
                }
                if !isEmpty { depth += 1 }
            case .text(let range):
                if start != nil, buffer.count < length {
                    buffer += bytes[range].prefix(length - buffer.count)
                }
            case .end:
                depth -= 1
                guard let first = start else { continue }
                if depth == first {
                    if !hasItems { add() }
                    (start, buffer) = (nil, [])
                } else if depth == first + 2, hasItems {
                    // `rdf:li` is in a list, which is in the property.
                    add()
                }
            }
        }
        return found
    }

    /// A text with its references to characters replaced.
    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"), let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let character = Self.character(rest[..<end])
            else {
                output.append(byte)
                continue
            }
            output += Array(String(character).utf8)
            rest = rest[(end + 1)...]
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func character(_ name: ArraySlice<UInt8>) -> Character? {
        let name = String(decoding: name, as: UTF8.self)
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHex = name.hasPrefix("#x")
            let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}

// MARK: - Leaving out

extension XMPDocument {
    /// The document without some properties, which are elements or attributes.
    func removing(where isUnwanted: (_ namespace: String, _ name: String) -> Bool) -> [UInt8] {
        func isUnwantedAttribute(_ attribute: Attribute) -> Bool {
            // The declaration of a namespace goes with its names.
            if bytes[attribute.name].starts(with: "xmlns:".utf8) {
                return isUnwanted(text(attribute.value), "")
            }
            let found = resolved(attribute.name)
            return isUnwanted(found.namespace, found.name)
        }
        var removed: [Range<Int>] = []
        var depth = 0
        var unwanted: (depth: Int, start: Int)?
        for node in nodes {
            switch node {
            case .start(let name, let indices, let whole, let isEmpty):
                if unwanted == nil {
                    let found = resolved(name)
                    if isUnwanted(found.namespace, found.name) {
                        if isEmpty { removed.append(whole) } else { unwanted = (depth, whole.lowerBound) }
                    } else {
                        for attribute in attributes[indices] where isUnwantedAttribute(attribute) {
                            removed.append(attribute.whole)
                        }
                    }
                }
                if !isEmpty { depth += 1 }
            case .text: continue
            case .end(let whole):
                depth -= 1
                if let start = unwanted, start.depth == depth {
                    removed.append(start.start..<whole.upperBound)
                    unwanted = nil
                }
            }
        }
        var (output, position) = ([UInt8](), 0)
        for range in removed {
            output += bytes[position..<range.lowerBound]
            position = range.upperBound
        }
        return output + bytes[position...]
    }
}

// MARK: - Reading

extension XMPDocument {
    private mutating func read() -> Bool {
        var (position, open) = (0, [Range<Int>]())
        while position < bytes.count {
            guard nodes.count < Self.mostNodes, attributes.count < Self.mostNodes else { return false }
            guard bytes[position] == UInt8(ascii: "<") else {
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                nodes.append(.text(position..<end))
                position = end
                continue
            }
            if has("<?", at: position) {
                guard let end = find("?>", from: position + 2) else { return false }
                position = end + 2
            } else if has("<!--", at: position) {
                guard let end = find("-->", from: position + 4) else { return false }
                position = end + 3
            } else if has("<![CDATA[", at: position) {
                guard let end = find("]]>", from: position + 9) else { return false }
                nodes.append(.text(position + 9..<end))
                position = end + 3
            } else if has("</", at: position) {
                guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")),
                    let name = open.popLast(),
                    bytes[position + 2..<end].starts(with: bytes[name]),
                    bytes[position + 2 + name.count..<end].allSatisfy(Self.isSpace)
                else { return false }
                nodes.append(.end(whole: position..<end + 1))
                position = end + 1
            } else {
                guard let isEmpty = readStart(&position, level: open.count, &open) else { return false }
                if isEmpty { open.removeLast() }
            }
        }
        return open.isEmpty && nodes.contains { if case .start = $0 { true } else { false } }
    }

    /// Reads a start tag, which it adds to `open`; nil if it is malformed, or a declaration, which XMP does
    /// not have.
    private mutating func readStart(_ position: inout Int, level: Int, _ open: inout [Range<Int>]) -> Bool? {
        let start = position
        position += 1
        let name = readName(&position)
        guard !name.isEmpty, level < Self.mostLevels else { return nil }
        let first = attributes.count
        while true {
            let space = position
            skipSpace(&position)
            if has("/>", at: position) || has(">", at: position) { break }
            let attribute = readName(&position)
            skipSpace(&position)
            guard !attribute.isEmpty, has("=", at: position), attributes.count < Self.mostNodes else {
                return nil
            }
            position += 1
            skipSpace(&position)
            guard position < bytes.count, bytes[position] == 0x22 || bytes[position] == 0x27,
                let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
            else { return nil }
            attributes.append(Attribute(name: attribute, value: position + 1..<end, whole: space..<end + 1))
            position = end + 1
        }
        let isEmpty = has("/>", at: position)
        position += isEmpty ? 2 : 1
        nodes.append(
            .start(
                name: name, attributes: first..<attributes.count, whole: start..<position, isEmpty: isEmpty))
        open.append(name)
        return isEmpty
    }

    private func readName(_ position: inout Int) -> Range<Int> {
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]),
            ![0x22, 0x26, 0x27, 0x2F, 0x3C, 0x3D, 0x3E, 0x21].contains(bytes[position])
        { position += 1 }
        return start..<position
    }

    private func skipSpace(_ position: inout Int) {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private func has(_ text: StaticString, at offset: Int) -> Bool { bytes.span.bytes.has(text, at: offset) }

    private func find(_ text: StaticString, from offset: Int) -> Int? {
        guard offset < bytes.count else { return nil }
        return (offset..<bytes.count).first { has(text, at: $0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
