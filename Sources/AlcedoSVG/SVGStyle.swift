#if SVG
    /// The properties of a style that affect the work of drawing.
    struct SVGStyle {
        /// The parts of the document that `url(#…)` names.
        private(set) var references: [String] = []
        /// Whether it may ask for a layer: a picture of its own that is laid over the others.
        private(set) var makesLayers = false
        private(set) var hasMarkers = false

        init() {}

        init(_ text: String) { add(text) }

        /// Reads a style attribute, a sheet, or a value in which there are references.
        mutating func add(_ text: String) {
            let text = Array(text.utf8)
            var scanner = SVGScanner(text)
            while !scanner.isAtEnd {
                let before = scanner.index == 0 ? nil : text[scanner.index - 1]
                if scanner.take("url(") || scanner.take("URL(") {
                    let name = scanner.upTo(UInt8(ascii: ")"), or: UInt8(ascii: ";"))
                    let bare = name.filter { !SVGScanner.isSpace($0) && $0 != 0x22 && $0 != 0x27 }
                    guard bare.first == UInt8(ascii: "#") else { continue }
                    references.append(String(decoding: bare.dropFirst(), as: UTF8.self))
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
            references = Array(Set(references))
        }
    }
#endif
