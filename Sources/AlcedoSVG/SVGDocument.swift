#if SVG
    import AlcedoPixels

    /// An SVG, parsed once and rewritten with the parts that are safe to draw.
    ///
    /// librsvg gets no document type, entities or external references, and only embedded images that a codec of Alcedo accepts
    /// within the limits.
    struct SVGDocument {
        /// The document to draw, UTF-8 without a declaration.
        private(set) var text: [UInt8] = []

        /// The size of the outermost element.
        private(set) var frame = SVGFrame()

        /// The work of drawing.
        private(set) var work = SVGWork()

        private var scanner: SVGScanner
        private var entities: SVGScanner.Entities = [:]
        private var images: SVGImages
        private var open: [Int] = []
        private let most: Int

        /// Reads all of `bytes`; embedded pictures only if `withImages`.
        ///
        /// - Throws: ``CodecError`` if the document is cut short, damaged or too large.
        init(_ bytes: RawSpan, limits: DecodeLimits, withImages: Bool) throws(CodecError) {
            let text = try SVGBytes.text(of: bytes, limits: limits)
            scanner = SVGScanner(text)
            images = SVGImages(limits: withImages ? limits : nil)
            most = text.count + SVGBytes.most
            self.text.reserveCapacity(text.count)
            try read()
        }

        private mutating func read() throws(CodecError) {
            while !scanner.isAtEnd {
                try readText()
                if scanner.isAtEnd { break }
                if scanner.take("<!--") {
                    try require(scanner.skip(past: "-->"))
                } else if scanner.take("<![CDATA[") {
                    guard let content = scanner.upTo("]]>") else { throw .truncated(.svg) }
                    noteText(content)
                    try append("<![CDATA[")
                    try append(content)
                    try append("]]>")
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
            guard open.popLast() != nil else {
                throw .corrupt(.svg, reason: "an element ends that never began")
            }
            try append("</")
            try append(name)
            try append(">")
        }

        private mutating func readStart() throws(CodecError) {
            let name = scanner.name()
            guard !name.isEmpty else { throw .corrupt(.svg, reason: "an element has no name") }
            let isRoot = open.isEmpty
            let kind = SVGProlog.local(name)
            guard !isRoot || kind == "svg" else { throw .corrupt(.svg, reason: "it begins with \(kind)") }
            let element = try work.add(kind, parent: open.last)
            try append("<\(name)")
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
                try readAttribute(attribute, try expanded(raw), of: element, isRoot: isRoot)
            }
        }

        private mutating func readAttribute(
            _ name: String,
            _ value: [UInt8],
            of element: Int,
            isRoot: Bool
        ) throws(CodecError) {
            var value = value
            let local = SVGProlog.local(name)
            if local == "href" {
                let target = SVGCharacters.decoded(value)
                if target.first == UInt8(ascii: "#") {
                    work.refer(from: element, to: Array(target.dropFirst()))
                } else {
                    value = try images.safe(target)
                }
            } else if local != "xmlns" && !name.hasPrefix("xmlns:") {
                let plain = String(decoding: SVGCharacters.decoded(value), as: UTF8.self)
                // One with a prefix is of another language, and must not stand for SVG's own.
                let isOwn = name == local
                if isRoot, isOwn { frame.note(name, plain) }
                if isOwn, work.note(name, plain, of: element) {
                    value = []
                } else if value.contains(UInt8(ascii: "\\")) {
                    // No name has to be written with escapes, and none is to hide behind them.
                    value = value.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: " ") : $0 }
                }
            }
            try append(" \(name)=\"")
            for byte in value {
                if byte == UInt8(ascii: "\"") { try append("&quot;") } else { text.append(byte) }
            }
            try append("\"")
        }
    }

    // MARK: - Text

    extension SVGDocument {
        /// Copies the text before the next tag; skips text outside the outermost element.
        private mutating func readText() throws(CodecError) {
            let start = scanner.index
            let content = scanner.upTo(UInt8(ascii: "<"), or: UInt8(ascii: "<"))
            guard !open.isEmpty, start < scanner.index else { return }
            let text = try expanded(content)
            noteText(text[...])
            let escape = UInt8(ascii: "\\")
            try append(work.isStyle(open.last) ? text.map { $0 == escape ? UInt8(ascii: " ") : $0 } : text)
        }

        private mutating func noteText(_ content: ArraySlice<UInt8>) {
            guard let element = open.last else { return }
            work.note(text: content, of: element)
        }

        /// With entities of the document's own replaced by their text.
        private func expanded(_ raw: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
            guard !entities.isEmpty, raw.contains(UInt8(ascii: "&")) else { return Array(raw) }
            var result: [UInt8] = []
            var index = raw.startIndex
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
                    guard self.text.count + result.count <= most else {
                        throw .limitExceeded(.encodedBytes, value: result.count, limit: most)
                    }
                } else {
                    result.append(byte)
                    index += 1
                }
            }
            return result
        }
    }
#endif
