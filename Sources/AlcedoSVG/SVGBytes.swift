#if SVG
    import AlcedoPixels

    /// The text of an SVG file as UTF-8, decompressed and converted.
    enum SVGBytes {
        /// Bytes of text that are read at most, unpacked: more makes a tree of gigabytes.
        static let most = 32 << 20

        /// Whether `bytes` are an SVG as far as their first 64 KiB show.
        static func areSVG(_ bytes: RawSpan) -> Bool {
            // Blanks, the first tag, byte order marks, UTF-16, UTF-32, or gzip.
            guard let first = byte(bytes, 0),
                [0, 9, 10, 13, 32, 0x1F, 0x3C, 0xEF, 0xFE, 0xFF].contains(first)
            else {
                return false
            }
            let most = 1 << 16
            let head = bytes.extracting(first: min(bytes.byteCount, most))
            guard let raw = try? unpacked(head, most: most).bytes.prefix(most) else { return false }
            // Other encodings have the characters of the prolog as ASCII has them. They are converted where the image is
            // decoded, not here: the caller may only want to know which process is to do that.
            return SVGProlog.endsInSVG((try? SVGEncoding.unicode(Array(raw), isHead: true)) ?? Array(raw))
        }

        /// All of the text; for a picture's, what it takes is added to `totals`, also if it is damaged.
        ///
        /// - Throws: ``CodecError`` if it is cut short, damaged, in an unknown encoding, or larger than `limits` allow.
        static func text(
            of bytes: RawSpan, limits: DecodeLimits, totals: SVGTotals?
        ) throws(CodecError) -> [UInt8] {
            try limits.check(encodedBytes: bytes.byteCount)
            let most = min(most, limits.encodedBytes)
            let raw = try unpacked(bytes, most: min(most, totals?.bytesLeft ?? most))
            try totals?.add(bytes: raw.bytes.count)
            try check(raw.bytes, most)
            if let failure = raw.failure { throw failure }
            let text = try SVGEncoding.utf8(raw.bytes)
            try totals?.add(bytes: max(0, text.count - raw.bytes.count))
            try check(text, most)
            // No XML has one, and libxml2 would take it for a mark of another encoding.
            guard !text.contains(0) else { throw .corrupt(.svg, reason: "a character is zero") }
            return text
        }

        private static func check(_ text: [UInt8], _ most: Int) throws(CodecError) {
            guard text.count <= most else {
                throw .limitExceeded(.encodedBytes, value: text.count, limit: most)
            }
        }

        private static func unpacked(_ bytes: RawSpan, most: Int) throws(CodecError) -> Gzip.Unpacked {
            guard byte(bytes, 0) == 0x1F, byte(bytes, 1) == 0x8B else {
                return Gzip.Unpacked(bytes: bytes.withUnsafeBytes { [UInt8]($0) })
            }
            return try Gzip.unpack(bytes, most: most)
        }

        private static func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8? {
            offset < bytes.byteCount ? bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : nil
        }
    }
#endif
