import AlcedoPixels
import CZlib

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

/// Unpacks gzip, as in `.svgz` files.
enum Gzip {
    /// The decompressed bytes, and why they are incomplete.
    struct Unpacked {
        var bytes: [UInt8]
        var failure: CodecError?
    }

    /// Decompresses `bytes` as far as possible; stops soon after `most` bytes.
    ///
    /// - Throws: ``CodecError`` if there is no memory.
    static func unpack(_ bytes: RawSpan, most: Int) throws(CodecError) -> Unpacked {
        var stream = z_stream()
        // Adding 16 to the window size selects the gzip format.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else {
            throw .outOfMemory(byteCount: 1 << 15)
        }
        defer { inflateEnd(&stream) }
        var result: [UInt8] = []
        var status = Z_OK
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        bytes.withUnsafeBytes { input in
            let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.next_in = UnsafeMutablePointer(mutating: start)
            stream.avail_in = UInt32(clamping: input.count)
            while status == Z_OK, result.count <= most {
                status = chunk.withUnsafeMutableBufferPointer { output in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                result += chunk.prefix(chunk.count - Int(stream.avail_out))
            }
        }
        let failure: CodecError? =
            switch status {
            case Z_STREAM_END: nil
            case Z_BUF_ERROR, Z_OK: .truncated(.svg)
            default: .corrupt(.svg, reason: "its compression is damaged")
            }
        return Unpacked(bytes: result, failure: failure)
    }
}
