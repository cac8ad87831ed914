#if Server
    /// The entities that a document type declares: drawing programs write namespaces so.
    ///
    /// Only plain texts are taken, of which none contains another.
    struct SVGEntities {
        private var values: [[UInt8]: [UInt8]] = [:]
        private var budget = 1 << 20

        /// Reads `<!DOCTYPE …>`; `position` is behind it afterwards.
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
            let text = String(decoding: declaration, as: UTF8.self)
            guard text.hasPrefix("<!ENTITY"), values.count < 64, text.utf8.count < 1024 else { return }
            let parts = text.dropFirst(8).split(
                maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
            guard parts.count == 2 else { return }
            let rest = parts[1].drop { $0.isWhitespace }
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return }
            let value = rest.dropFirst().prefix { $0 != quote }
            guard !value.contains(where: { "<>&%\"'".contains($0) }) else { return }
            values[Array(parts[0].utf8)] = Array(value.utf8)
        }

        /// `text` with the entities replaced; others than XML's own are an error.
        mutating func expand(_ text: ArraySlice<UInt8>) throws(SVGSanitizer.Malformed) -> [UInt8] {
            guard text.contains(UInt8(ascii: "&")) else { return Array(text) }
            var result: [UInt8] = []
            var rest = text
            while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
                result += rest[..<ampersand]
                guard let end = rest[ampersand...].firstIndex(of: UInt8(ascii: ";")) else {
                    throw SVGSanitizer.Malformed(reason: "an entity is not closed")
                }
                let name = Array(rest[(ampersand + 1)..<end])
                if let value = values[name] {
                    budget -= value.count
                    guard budget > 0 else {
                        throw SVGSanitizer.Malformed(reason: "its entities are too long")
                    }
                    result += value
                } else if name.first == UInt8(ascii: "#")
                    || ["amp", "lt", "gt", "quot", "apos"].contains(String(decoding: name, as: UTF8.self))
                {
                    result += rest[ampersand...end]
                } else {
                    throw SVGSanitizer.Malformed(reason: "an entity is not declared")
                }
                rest = rest[(end + 1)...]
            }
            return result + rest
        }
    }
#endif
