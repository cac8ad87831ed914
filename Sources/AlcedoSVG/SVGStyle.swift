#if SVG
    /// The properties of a style that affect the work of drawing.
    struct SVGStyle {
        /// The parts of the document that `url(#…)` names.
        private(set) var references: [[UInt8]] = []
        /// Whether it may ask for a layer: a picture of its own that is laid over the others.
        private(set) var makesLayers = false
        private(set) var hasMarkers = false

        init() {}

        init(_ text: String) { add(text) }

        /// Reads a style attribute, a sheet, or a value in which there are references.
        mutating func add(_ text: String) {
            let text = Array(text.utf8)
            var scanner = SVGScanner(text.map(Self.lowercased))
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
                    references.append(name)
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

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (65...90).contains(byte) ? byte | 0x20 : byte
        }

        /// The properties and values of a style attribute or a sheet, in lower case and without comments.
        ///
        /// Separated by bytes, as CSS is: a mark behind a semicolon does not join it.
        static func declarations(in style: String) -> [(name: String, value: String)] {
            declarations(plain(style)[...])
        }

        private static func declarations(_ plain: ArraySlice<UInt8>) -> [(name: String, value: String)] {
            plain.split { ";{}".utf8.contains($0) }.compactMap { part in
                guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let name = part[..<colon].filter { !SVGScanner.isSpace($0) }
                return (
                    String(decoding: name, as: UTF8.self),
                    String(decoding: part[(colon + 1)...], as: UTF8.self)
                )
            }
        }

        /// The rules of a sheet, in lower case; without those inside of another one, such as `@media`, which librsvg skips.
        static func rules(in sheet: String) -> [(
            selectors: [String], declarations: [(name: String, value: String)]
        )] {
            plain(sheet).split(separator: UInt8(ascii: "}")).compactMap { rule in
                let parts = rule.split(separator: UInt8(ascii: "{"), omittingEmptySubsequences: false)
                // Behind a rule such as @import, which has no block.
                guard parts.count == 2, let list = parts[0].split(separator: UInt8(ascii: ";")).last else {
                    return nil
                }
                let selectors = list.split(separator: UInt8(ascii: ",")).map { selector in
                    String(decoding: selector.filter { !SVGScanner.isSpace($0) }, as: UTF8.self)
                }
                return (selectors, declarations(parts[1]))
            }
        }

        /// In lower case and without comments.
        private static func plain(_ style: String) -> [UInt8] {
            var plain: [UInt8] = []
            var scanner = SVGScanner(style.utf8.map(lowercased))
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
#endif
