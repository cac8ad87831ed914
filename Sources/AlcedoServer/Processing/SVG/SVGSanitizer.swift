#if Server
    import Foundation

    /// Removes from an SVG what a browser would run or load: scripts, handlers, foreign content, links to either.
    ///
    /// It reads well-formed XML only and writes it anew, so that a browser can't read something else in the same bytes.
    struct SVGSanitizer {
        /// Why an SVG can't be sanitised.
        struct Malformed: Error, Equatable {
            let reason: String
        }

        private var reader: SVGTokens
        private var output: [UInt8] = []
        private var open: [[UInt8]] = []

        /// The depth of the element that is being left out; nil outside of one.
        private var removedDepth: Int?

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
                case .start(let name, _, _): return SVGNames.local(name) == "svg"
                case .text(let text) where text.contains(where: { !SVGTokens.isSpace($0) }): return false
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
                    if removedDepth == nil, hasRoot, !open.isEmpty { output += text }
                case .start(let name, let attributes, let isEmpty):
                    if open.isEmpty {
                        guard !hasRoot, SVGNames.local(name) == "svg" else {
                            throw Malformed(reason: "it has no single root named svg")
                        }
                        hasRoot = true
                    }
                    if removedDepth == nil, SVGNames.isRemoved(name, attributes) { removedDepth = open.count }
                    if removedDepth == nil { write(name, attributes, isEmpty: isEmpty) }
                    if !isEmpty { open.append(name) }
                    if isEmpty, removedDepth == open.count { removedDepth = nil }
                    guard open.count <= 512 else { throw Malformed(reason: "it is nested too deeply") }
                case .end(let name):
                    guard open.popLast() == name else { throw Malformed(reason: "its tags don't match") }
                    if removedDepth == nil { output += Array("</".utf8) + name + [UInt8(ascii: ">")] }
                    if removedDepth == open.count { removedDepth = nil }
                }
            }
            guard hasRoot, open.isEmpty else { throw Malformed(reason: "it ends early") }
            return output
        }

        private mutating func write(_ name: [UInt8], _ attributes: [SVGTokens.Attribute], isEmpty: Bool) {
            output.append(UInt8(ascii: "<"))
            output += name
            for attribute in attributes where !SVGNames.isRemoved(attribute) {
                output.append(UInt8(ascii: " "))
                output += attribute.name
                output += Array("=\"".utf8)
                for byte in attribute.value {
                    if byte == UInt8(ascii: "\"") {
                        output += Array("&quot;".utf8)
                    } else {
                        output.append(byte)
                    }
                }
                output.append(UInt8(ascii: "\""))
            }
            output += Array(isEmpty ? "/>".utf8 : ">".utf8)
        }

        /// The text as UTF-8; from Latin-1 if it says so.
        private static func utf8(of data: Data, isWhole: Bool = true) throws(Malformed) -> [UInt8] {
            var bytes = [UInt8](data)
            if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
            let head = String(decoding: bytes.prefix(200), as: UTF8.self).lowercased()
            let declaration = head.hasPrefix("<?xml") ? head.prefix { $0 != ">" } : ""
            if declaration.contains("encoding"), !declaration.contains("utf-8"),
                !declaration.contains("ascii")
            {
                guard declaration.contains("iso-8859-1") else {
                    throw Malformed(reason: "it is not in UTF-8")
                }
                bytes = Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
            }
            guard !isWhole || String(validating: bytes, as: UTF8.self) != nil else {
                throw Malformed(reason: "it is not in UTF-8")
            }
            return bytes
        }
    }
#endif
