import AlcedoPixels

/// The `tEXt` chunks of a PNG: keywords with short texts.
package enum PNGTexts {
    /// The most bytes of a keyword and its text that are read: a URI has up to three for each of a path.
    private static let longest = 1 << 16

    /// The texts of a PNG, which may be damaged; of several with one keyword the first.
    package static func read(_ bytes: RawSpan) -> [String: String] {
        var (texts, start): ([String: String], Int) = ([:], 8)
        while let count = bytes.u32BE(start), count <= bytes.byteCount - start - 12 {
            let body = start + 8..<start + 8 + count
            if count <= longest, bytes.has("tEXt", at: start + 4) {
                let parts = bytes.copy(body).split(
                    separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
                let keyword = String(decoding: parts[0], as: UTF8.self)
                if parts.count == 2, texts[keyword] == nil {
                    texts[keyword] = String(decoding: parts[1], as: UTF8.self)
                }
            }
            start = body.upperBound + 4
        }
        return texts
    }

    /// A PNG with further texts, after its header.
    package static func adding(_ texts: [(keyword: String, text: String)], to file: [UInt8]) -> [UInt8] {
        let headerEnd = 8 + 25
        guard file.count > headerEnd else { return file }
        var chunks = PNGChunkWriter()
        let signature = chunks.bytes.count
        for (keyword, text) in texts {
            chunks.add("tEXt", Array(keyword.utf8)[...], [0], Array(text.utf8)[...])
        }
        return Array(file[..<headerEnd]) + chunks.bytes[signature...] + file[headerEnd...]
    }
}
