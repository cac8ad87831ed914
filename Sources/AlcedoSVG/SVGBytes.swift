#if SVG
    import AlcedoPixels

    /// The text of an SVG file as UTF-8, decompressed and converted.
    enum SVGBytes {
        /// Bytes of text that are read at most, unpacked: more makes a tree of gigabytes.
        static let most = 32 << 20

        /// Whether `bytes` are an SVG as far as the first 64 KiB tell.
        static func areSVG(_ bytes: RawSpan) -> Bool {
            // Blanks, the first tag, byte order marks, UTF-16, or gzip.
            guard let first = byte(bytes, 0),
                [0, 9, 10, 13, 32, 0x1F, 0x3C, 0xEF, 0xFE, 0xFF].contains(first)
            else {
                return false
            }
            let most = 1 << 16
            let head = bytes.extracting(first: min(bytes.byteCount, most))
            guard let text = try? text(of: head, most: most, isHead: true) else { return false }
            return SVGProlog.endsInSVG(text)
        }

        /// All of the text.
        ///
        /// - Throws: ``CodecError`` if it is cut short, damaged or larger than `limits` allow.
        static func text(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [UInt8] {
            try limits.check(encodedBytes: bytes.byteCount)
            return try text(of: bytes, most: min(most, limits.encodedBytes), isHead: false)
        }

        private static func text(of bytes: RawSpan, most: Int, isHead: Bool) throws(CodecError) -> [UInt8] {
            let raw =
                if byte(bytes, 0) == 0x1F, byte(bytes, 1) == 0x8B {
                    try Gzip.unpack(bytes, most: most, isHead: isHead)
                } else {
                    bytes.withUnsafeBytes { [UInt8]($0) }
                }
            guard raw.count <= most else {
                throw .limitExceeded(.encodedBytes, value: raw.count, limit: most)
            }
            return try utf8(raw)
        }

        private static func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8? {
            offset < bytes.byteCount ? bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : nil
        }

        /// From UTF-8, UTF-16 or Latin-1, as a byte order mark, the zeros of UTF-16 or the XML declaration say.
        private static func utf8(_ raw: [UInt8]) throws(CodecError) -> [UInt8] {
            switch (raw.first, raw.dropFirst().first) {
            case (0xFE, 0xFF): return utf16(raw[2...], isBigEndian: true)
            case (0xFF, 0xFE): return utf16(raw[2...], isBigEndian: false)
            case (0, 0x3C): return utf16(raw[...], isBigEndian: true)
            case (0x3C, 0): return utf16(raw[...], isBigEndian: false)
            case (0xEF, 0xBB) where raw.dropFirst(2).first == 0xBF: return Array(raw[3...])
            default: break
            }
            switch SVGProlog.encoding(of: raw) {
            case nil, "utf-8", "utf8", "us-ascii", "ascii": return raw
            case "iso-8859-1", "latin1", "windows-1252":
                return raw.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
            case let name?: throw .unsupported(.svg, reason: "the character encoding \(name)")
            }
        }

        private static func utf16(_ raw: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
            var units: [UInt16] = []
            units.reserveCapacity(raw.count / 2)
            var index = raw.startIndex
            while index + 1 < raw.endIndex {
                let (first, second) = (UInt16(raw[index]), UInt16(raw[index + 1]))
                units.append(isBigEndian ? first << 8 | second : second << 8 | first)
                index += 2
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
    }
#endif
