import Foundation

/// Rewrites an SVG: keeps what draws, styles and animates it, and removes what a browser would run or load.
///
/// ``SVGVocabulary`` lists what is kept; everything else is removed. The sanitizer accepts only well-formed XML, and
/// writes it in one form: UTF-8, no prefixes but `xlink`, no document type, no comments. So a browser can't interpret
/// the same bytes in another way.
struct SVGSanitizer {
    /// Why an SVG can't be sanitised.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    /// The namespaces that are kept.
    private enum Space {
        case unnamed, svg, xlink, xml

        /// Nil for one that is not kept.
        init?(_ name: [UInt8]) {
            if name.isEmpty {
                self = .unnamed
            } else if name.elementsEqual(SVGSanitizer.svgSpace.utf8) {
                self = .svg
            } else if name.elementsEqual(SVGSanitizer.xlinkSpace.utf8) {
                self = .xlink
            } else {
                return nil
            }
        }
    }

    private struct Element {
        let name: [UInt8]
        /// What prefixes stand for inside it, without those of other namespaces; the empty one for elements
        /// without a prefix.
        let spaces: [[UInt8]: Space]
    }

    private static let svgSpace = "http://www.w3.org/2000/svg"
    private static let xlinkSpace = "http://www.w3.org/1999/xlink"

    private var reader: SVGTokens
    private var output: [UInt8] = []
    private var open: [Element] = []

    /// That of the root, and so of all elements that are kept: old files have none.
    private var space = Space.unnamed

    /// Where the root's namespaces are written.
    private var rootEnd = 0
    private var usesXLink = false

    /// The depth of the element that is being left out; nil outside of one.
    private var removedDepth: Int?

    /// The style sheet that is being read: where its tag starts in the output, its depth and its text.
    private var sheet: (start: Int, depth: Int, text: [UInt8])?

    /// The sanitised SVG of `data`.
    static func sanitized(_ data: Data) throws(Malformed) -> Data {
        var sanitizer = SVGSanitizer(reader: SVGTokens(try utf8(of: data)))
        return Data(try sanitizer.run())
    }

    /// Whether `data` looks like an SVG: its first element is `svg`.
    static func recognizes(_ data: Data) -> Bool {
        guard var reader = (try? utf8(of: data.prefix(64 << 10), isWhole: false)).map(SVGTokens.init)
        else { return false }
        while let token = try? reader.next() {
            switch token {
            case .start(let name, _, _):
                return split(name).local.map(\.asciiLowercased) == SVGVocabulary.root
            case .text(let text) where text.contains(where: { !$0.isXMLSpace }): return false
            case .end: return false
            default: continue
            }
        }
        return false
    }

    private init(reader: SVGTokens) { self.reader = reader }

    private mutating func run() throws(Malformed) -> [UInt8] {
        output.reserveCapacity(reader.count)
        var hasRoot = false
        while let token = try reader.next() {
            switch token {
            case .text(let text):
                guard removedDepth == nil, !open.isEmpty else { continue }
                if sheet != nil { sheet?.text += text } else { write(text, inAttribute: false) }
            case .start(let name, let attributes, let isEmpty):
                guard !hasRoot || !open.isEmpty else {
                    throw Malformed(reason: "it has more than one root")
                }
                try start(
                    Element(name: name, spaces: try spaces(with: attributes)), attributes,
                    isEmpty: isEmpty)
                hasRoot = true
            case .end(let name):
                guard let element = open.popLast(), element.name == name else {
                    throw Malformed(reason: "its tags don't match")
                }
                end(element)
            }
        }
        guard hasRoot, open.isEmpty else { throw Malformed(reason: "it ends early") }
        if usesXLink {
            output.insert(contentsOf: " xmlns:xlink=\"\(Self.xlinkSpace)\"".utf8, at: rootEnd)
        }
        return output
    }

    private mutating func start(
        _ element: Element, _ attributes: [SVGTokens.Attribute], isEmpty: Bool
    ) throws(Malformed) {
        let (prefix, local) = Self.split(element.name)
        let isRoot = open.isEmpty
        if isRoot {
            guard local == SVGVocabulary.root, let root = element.spaces[prefix],
                root == .svg || root == .unnamed
            else { throw Malformed(reason: "it has no root named svg") }
            space = root
        }
        let isKept = element.spaces[prefix] == space && SVGVocabulary.isKept(local, attributes)
        // A style sheet has no elements.
        if removedDepth == nil, !isKept || sheet != nil { removedDepth = open.count }
        if removedDepth == nil {
            let start = output.count
            output += "<".utf8 + local
            if isRoot {
                output += " xmlns=\"\(Self.svgSpace)\"".utf8
                rootEnd = output.count
            }
            write(attributes, of: local, element.spaces)
            output += isEmpty ? "/>".utf8 : ">".utf8
            if !isEmpty, local == SVGVocabulary.styleSheet { sheet = (start, open.count, []) }
        }
        if !isEmpty { open.append(element) }
        if isEmpty, removedDepth == open.count { removedDepth = nil }
        guard open.count <= 512 else { throw Malformed(reason: "it is nested too deeply") }
    }

    private mutating func end(_ element: Element) {
        if let removedDepth {
            if removedDepth == open.count { self.removedDepth = nil }
            return
        }
        if let sheet, sheet.depth == open.count {
            self.sheet = nil
            guard let text = SVGStyle.cleaned(sheet.text) else {
                return output.removeLast(output.count - sheet.start)
            }
            write(text, inAttribute: false)
        }
        output += "</".utf8 + Self.split(element.name).local + ">".utf8
    }

    // MARK: - Names

    /// What prefixes stand for in an element with these attributes.
    private func spaces(with attributes: [SVGTokens.Attribute]) throws(Malformed) -> [[UInt8]: Space] {
        // Files that were parts of pages often don't declare these.
        var spaces =
            open.last?.spaces ?? [[]: .unnamed, Array("xlink".utf8): .xlink, Array("xml".utf8): .xml]
        for attribute in attributes {
            let (prefix, local) = Self.split(attribute.name)
            if attribute.name.elementsEqual("xmlns".utf8) {
                spaces[[]] = Space(attribute.value)
            } else if prefix.elementsEqual("xmlns".utf8), !local.elementsEqual("xml".utf8) {
                spaces[local] = Space(attribute.value)
            }
        }
        guard spaces.count <= 64 else { throw Malformed(reason: "it has too many namespaces") }
        return spaces
    }

    private static func split(_ name: [UInt8]) -> (prefix: [UInt8], local: [UInt8]) {
        guard let colon = name.firstIndex(of: .colon) else { return ([], name) }
        return (Array(name[..<colon]), Array(name[(colon + 1)...]))
    }

    // MARK: - Writing

    private mutating func write(
        _ attributes: [SVGTokens.Attribute], of element: [UInt8], _ spaces: [[UInt8]: Space]
    ) {
        var written: Set<[UInt8]> = []
        for attribute in attributes {
            // Two prefixes may stand for one namespace, and XML allows each name once.
            guard let (name, value) = kept(attribute, of: element, spaces), written.insert(name).inserted
            else {
                continue
            }
            output += " ".utf8 + name + "=\"".utf8
            write(value, inAttribute: true)
            output += "\"".utf8
        }
    }

    /// The name and the value with which an attribute is written; nil if it is left out.
    private mutating func kept(
        _ attribute: SVGTokens.Attribute, of element: [UInt8], _ spaces: [[UInt8]: Space]
    ) -> (name: [UInt8], value: [UInt8])? {
        let (prefix, local) = Self.split(attribute.name)
        if !prefix.isEmpty {
            switch spaces[prefix] {
            case .xlink where local == SVGVocabulary.link:
                guard let value = link(attribute.value, of: element) else { return nil }
                usesXLink = true
                return (Array("xlink:href".utf8), value)
            case .xml where SVGVocabulary.xml.contains(local):
                return (Array("xml:".utf8) + local, attribute.value)
            default: return nil
            }
        }
        let value: [UInt8]? =
            switch SVGVocabulary.kind(of: local) {
            case .plain: attribute.value
            case .style: SVGStyle.cleaned(attribute.value)
            case .link: link(attribute.value, of: element)
            case nil: nil
            }
        return value.map { (local, $0) }
    }

    private func link(_ value: [UInt8], of element: [UInt8]) -> [UInt8]? {
        SVGLink.isKept(value, forImage: SVGVocabulary.images.contains(element))
            ? value.trimmingSpace : nil
    }

    private mutating func write(_ text: [UInt8], inAttribute: Bool) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): output += "&amp;".utf8
            case UInt8(ascii: "<"): output += "&lt;".utf8
            case UInt8(ascii: ">"): output += "&gt;".utf8
            case UInt8(ascii: "\"") where inAttribute: output += "&quot;".utf8
            case 0x09 where inAttribute: output += "&#9;".utf8
            case 0x0a where inAttribute: output += "&#10;".utf8
            case 0x0d: output += "&#13;".utf8
            default: output.append(byte)
            }
        }
    }

    // MARK: - Encoding

    /// The text as UTF-8; from Latin-1 if it says so.
    private static func utf8(of data: Data, isWhole: Bool = true) throws(Malformed) -> [UInt8] {
        var bytes = [UInt8](data)
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
        let head = bytes.prefix(200).map(\.asciiLowercased)
        let declaration =
            head.starts(with: "<?xml".utf8) ? Array(head.prefix { $0 != UInt8(ascii: ">") }) : []
        func declares(_ text: String) -> Bool { declaration.firstIndex(of: Array(text.utf8)) != nil }
        if declares("encoding"), !declares("utf-8"), !declares("ascii") {
            guard declares("iso-8859-1") else { throw Malformed(reason: "it is not in UTF-8") }
            bytes = Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
        }
        guard isWhole else { return bytes }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Malformed(reason: "it is not in UTF-8")
        }
        guard text.unicodeScalars.allSatisfy(SVGEntities.isAllowed) else {
            throw Malformed(reason: "it has characters that XML does not allow")
        }
        return bytes
    }
}
