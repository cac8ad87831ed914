import AlcedoPixels

/// An SVG, parsed once and rewritten with the parts that are safe to draw.
///
/// librsvg gets no document type, entities or external references, and only embedded images that a codec of Alcedo accepts
/// within the limits.
struct SVGDocument {
    /// The document to draw, UTF-8 without a declaration, and without the SVGs in its pictures.
    private(set) var text: [UInt8] = []

    /// The size of the outermost element.
    private(set) var frame = SVGFrame()

    private(set) var work = SVGWork()
    private var scanner: SVGScanner
    private var entities: SVGScanner.Entities = [:]
    private let images: SVGImages
    private var open: [Int] = []

    /// The text of the style sheets that are open: comments, other elements and `CDATA` may divide it anywhere.
    private var sheets: [Int: [UInt8]] = [:]
    private let most: Int
    private let limits: DecodeLimits

    /// SVGs in pictures, in the order of the text, which has no address for them.
    private var pictures: [SVGPicture] = []
    /// The number of SVGs around this one, which is a picture in them.
    private let level: Int
    private let totals: SVGTotals

    /// Reads all of `bytes`; embedded pictures only if `withImages`.
    ///
    /// - Throws: ``CodecError`` if the document is cut short, damaged or too large.
    init(_ bytes: RawSpan, limits: DecodeLimits, withImages: Bool) throws(CodecError) {
        try self.init(bytes, limits: limits, withImages: withImages, level: 0, totals: SVGTotals(limits))
    }

    private init(
        _ bytes: RawSpan, limits: DecodeLimits, withImages: Bool, level: Int, totals: SVGTotals
    ) throws(CodecError) {
        let text = try SVGBytes.text(of: bytes, limits: limits, totals: level > 0 ? totals : nil)
        scanner = SVGScanner(text)
        images = SVGImages(limits: withImages ? limits : nil, totals: totals)
        most = text.count + SVGBytes.most
        self.limits = limits
        self.level = level
        self.totals = totals
        self.text.reserveCapacity(text.count)
        try read()
    }

    /// The text to draw `size` pixels of, with the SVGs in its pictures drawn.
    ///
    /// - Throws: ``CodecError`` if drawing any of them takes too long or exceeds `limits`.
    func text(drawnAt size: PixelSize, natural: SVGExtent.Sides, limits: DecodeLimits)
        throws(CodecError) -> [UInt8]
    {
        let view = frame.units(in: natural)
        try work.check(at: size, of: view, totals: totals)
        guard !pictures.isEmpty else { return text }
        let zooms = work.zooms(of: pictures.map(\.element), in: view)
        let scale = max(Double(size.width) / view.width, Double(size.height) / view.height)
        var result: [UInt8] = []
        var end = 0
        for (picture, zoom) in zip(pictures, zooms) {
            result += text[end..<picture.offset]
            result += try picture.address(
                in: view, scale: scale, zoom: zoom, longest: max(size.width, size.height),
                limits: limits, totals: totals)
            end = picture.offset
            guard result.count <= most else {
                throw .limitExceeded(.encodedBytes, value: result.count, limit: most)
            }
        }
        return result + text[end...]
    }

    private mutating func read() throws(CodecError) {
        while !scanner.isAtEnd {
            try readText()
            if scanner.isAtEnd { break }
            if scanner.take("<!--") {
                try require(scanner.skip(past: "-->"))
            } else if scanner.take("<![CDATA[") {
                guard let content = scanner.upTo("]]>") else { throw .truncated(.svg) }
                try readCharacters(content)
            } else if scanner.take("<?") {
                try require(scanner.skip(past: "?>"))
            } else if scanner.take("<!DOCTYPE") {
                entities = try scanner.doctype()
            } else if scanner.take("</") {
                try readEnd()
                if open.isEmpty { return }
            } else if scanner.take("<") {
                try readStart()
                if open.isEmpty { return }
            }
        }
        throw .truncated(.svg)
    }

    private func require(_ isThere: Bool) throws(CodecError) {
        guard isThere else { throw .truncated(.svg) }
    }

    private mutating func append(_ bytes: some Collection<UInt8>) throws(CodecError) {
        text += bytes
        guard text.count <= most else {
            throw .limitExceeded(.encodedBytes, value: text.count, limit: most)
        }
    }

    private mutating func append(_ word: String) throws(CodecError) { try append(word.utf8) }
}

// MARK: - Elements

extension SVGDocument {
    private mutating func readEnd() throws(CodecError) {
        guard let name = scanner.upTo(">") else { throw .truncated(.svg) }
        guard let element = open.popLast() else {
            throw .corrupt(.svg, reason: "an element ends that never started")
        }
        if let sheet = sheets.removeValue(forKey: element) { try readSheet(sheet, of: element) }
        try append("</")
        try append(name)
        try append(">")
    }

    private mutating func readStart() throws(CodecError) {
        let name = scanner.name()
        guard !name.isEmpty else { throw .corrupt(.svg, reason: "an element has no name") }
        let isRoot = open.isEmpty
        let kind = SVGProlog.local(name)
        guard !isRoot || kind == "svg" else { throw .corrupt(.svg, reason: "it starts with \(kind)") }
        try totals.deadline.check()
        try totals.addElement()
        let element = try work.add(kind, parent: open.last)
        try append("<\(name)")
        let firstPicture = pictures.count
        var box = SVGPicture.Box()
        defer {
            if firstPicture < pictures.count {
                let shown = SVGPicture.shown(of: pictures[firstPicture...], box)
                pictures.replaceSubrange(firstPicture..., with: shown.map { [$0] } ?? [])
            }
        }
        var attributes = 0
        while true {
            scanner.skipSpace()
            if scanner.take("/>") {
                try append("/>")
                return
            }
            if scanner.take(">") {
                try append(">")
                open.append(element)
                return
            }
            attributes += 1
            guard attributes <= SVGWork.mostAttributes else {
                throw .unsupported(
                    .svg, reason: "an element has more than \(SVGWork.mostAttributes) attributes")
            }
            let attribute = scanner.name()
            if scanner.isAtEnd { throw .truncated(.svg) }
            guard !attribute.isEmpty else { throw .corrupt(.svg, reason: "a tag is malformed") }
            guard let raw = scanner.attributeValue() else {
                if scanner.isAtEnd { throw .truncated(.svg) }
                throw .corrupt(.svg, reason: "the attribute \(attribute) has no value")
            }
            let value = SVGCharacters.decoded(try expanded(raw))
            if SVGPicture.elements.contains(kind), SVGPicture.Box.names.contains(attribute),
                !box.note(attribute, value)
            {
                continue
            }
            try readAttribute(attribute, value, of: element, kind: kind, isRoot: isRoot)
        }
    }

    private mutating func readAttribute(
        _ name: String,
        _ value: [UInt8],
        of element: Int,
        kind: String,
        isRoot: Bool
    ) throws(CodecError) {
        var value = value
        let local = SVGProlog.local(name)
        if local == "href" {
            if value.first == UInt8(ascii: "#") {
                work.refer(from: element, to: Array(value.dropFirst()))
            } else {
                switch try images.content(of: value) {
                case .url(let url): value = url
                case .svg(let bytes):
                    value = []
                    if SVGPicture.elements.contains(kind) {
                        // Behind ` name="`.
                        let offset = text.count + name.utf8.count + 3
                        try readPicture(bytes, at: offset, of: element, name: name, kind: kind)
                    }
                }
            }
        } else if local != "xmlns" && !name.hasPrefix("xmlns:") {
            value = SVGLocalStyle.text(value)
            let plain = String(decoding: value, as: UTF8.self)
            // One with a prefix is of another language, and must not stand for SVG's own.
            let isOwn = name == local
            if isRoot, isOwn { frame.note(name, plain) }
            if isOwn, work.note(name, plain, of: element) { value = [] }
        }
        work.note(attributeBytes: value.count, of: element)
        try append(" \(name)=\"")
        try append(SVGCharacters.escaped(value))
        try append("\"")
    }
}

// MARK: - Pictures

extension SVGDocument {
    /// Reads an SVG in a picture; one that is damaged is left out, like other damaged pictures.
    private mutating func readPicture(
        _ bytes: [UInt8], at offset: Int, of element: Int, name: String, kind: String
    ) throws(CodecError) {
        try totals.deadline.check()
        guard level < SVGPicture.mostLevels else {
            throw .unsupported(
                .svg, reason: "SVGs inside each other's pictures: \(level + 1), the limit is \(level)")
        }
        do throws(CodecError) {
            let document = try SVGDocument(
                bytes.span.bytes, limits: limits, withImages: true, level: level + 1, totals: totals)
            pictures.append(
                SVGPicture(
                    document: document, name: name, kind: kind, offset: offset, element: element))
        } catch .corrupt, .truncated {}
    }
}

// MARK: - Text

extension SVGDocument {
    /// Copies the text before the next tag; skips text outside the outermost element.
    private mutating func readText() throws(CodecError) {
        let start = scanner.index
        let content = scanner.upTo(UInt8(ascii: "<"), or: UInt8(ascii: "<"))
        guard !open.isEmpty, start < scanner.index else { return }
        try readCharacters(SVGCharacters.resolved(try expanded(content)))
    }

    /// Copies text inside an element; that of a style sheet is read at its end.
    private mutating func readCharacters(_ characters: some Collection<UInt8>) throws(CodecError) {
        guard let element = open.last else { return }
        guard !work.isStyle(element) else {
            sheets[element, default: []] += characters
            return
        }
        work.note(text: Array(characters)[...], of: element)
        try append(SVGCharacters.escaped(characters))
    }

    private mutating func readSheet(_ raw: [UInt8], of element: Int) throws(CodecError) {
        let sheet = SVGLocalStyle.text(raw)
        work.note(text: sheet[...], of: element)
        frame.note(sheet: String(decoding: sheet, as: UTF8.self))
        try append(SVGCharacters.escaped(sheet))
    }

    /// With entities of the document's own replaced by their text.
    private func expanded(_ raw: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
        guard !entities.isEmpty, raw.contains(UInt8(ascii: "&")) else { return Array(raw) }
        var result: [UInt8] = []
        var index = raw.startIndex
        var hasEntity = false
        while index < raw.endIndex {
            let byte = raw[index]
            if byte == UInt8(ascii: "&"),
                let end = raw[index...].prefix(256).firstIndex(of: UInt8(ascii: ";")),
                let known = entities[String(decoding: raw[(index + 1)..<end], as: UTF8.self)]
            {
                guard let text = known else {
                    throw .unsupported(.svg, reason: "an entity that is made of markup or other entities")
                }
                result += text
                index = end + 1
                hasEntity = true
                guard result.count <= SVGBytes.most else { break }
            } else {
                result.append(byte)
                index += 1
            }
        }
        if hasEntity { try totals.add(expandedBytes: result.count) }
        return result
    }
}
