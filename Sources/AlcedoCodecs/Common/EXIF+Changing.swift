import AlcedoPixels

extension EXIF {
    /// A TIFF structure of the artist and the copyright in the first directory of `structure`; nil if it has neither.
    static func copyright(of structure: [UInt8]) -> [UInt8]? {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4) else { return nil }
        let texts = [artistTag, copyrightTag].compactMap { tag in
            order.text(of: tag, tiff, directory).map { (tag: tag, text: $0) }
        }
        guard !texts.isEmpty else { return nil }
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var bytes = Array("II*\0".utf8) + number(8, 4) + number(texts.count, 2)
        // The texts follow the directory, but one of up to four bytes is in its entry.
        var (values, end) = ([UInt8](), 8 + 2 + texts.count * 12 + 4)
        for (tag, text) in texts {
            bytes += number(tag, 2) + number(asciiType, 2) + number(text.count, 4)
            guard text.count > 4 else {
                bytes += text + number(0, 4 - text.count)
                continue
            }
            bytes += number(end, 4)
            // Offsets are even.
            let padded = text + number(0, text.count % 2)
            values += padded
            end += padded.count
        }
        return bytes + number(0, 4) + values
    }

    /// `structure` with an orientation of 1, if it has one.
    static func upright(_ structure: [UInt8]) -> [UInt8] {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4),
            let entry = order.entry(of: orientationTag, tiff, directory),
            let count = order.byteCount(ofEntry: entry, tiff), entry + 8 + count <= structure.count
        else { return structure }
        var changed = structure
        for index in 0..<count { changed[entry + 8 + index] = 0 }
        changed[entry + 8 + (order.isBig ? count - 1 : 0)] = 1
        return changed
    }

    /// `structure` without the directory of its thumbnail; the bytes of a JPEG there become 0.
    ///
    /// What the thumbnail shares with the structure's head, as only a malicious file's does, stays.
    static func withoutThumbnail(_ structure: [UInt8]) -> [UInt8] {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let first = order.u32(tiff, 4),
            first >= TIFFOrder.headerSize, let count = order.u16(tiff, first),
            first + 2 + count * 12 + 4 <= structure.count
        else { return structure }
        var changed = structure
        let end = first + 2 + count * 12 + 4
        let bytes = thumbnail(in: tiff, at: 0..<structure.count) ?? 0..<0
        for index in bytes where index >= TIFFOrder.headerSize && !(first..<end).contains(index) {
            changed[index] = 0
        }
        for index in 0..<4 { changed[first + 2 + count * 12 + index] = 0 }
        return changed
    }

    private static let artistTag = 0x013B
    private static let copyrightTag = 0x8298
    static let asciiType = 2
}

extension TIFFOrder {
    /// The bytes of the text `tag` in a directory, with the zero at its end.
    func text(of tag: Int, _ tiff: RawSpan, _ directory: Int) -> [UInt8]? {
        guard let entry = entry(of: tag, tiff, directory), u16(tiff, entry + 2) == EXIF.asciiType,
            let count = u32(tiff, entry + 4), count > 1,
            let start = count > 4 ? u32(tiff, entry + 8) : entry + 8,
            start + count <= tiff.byteCount
        else { return nil }
        return tiff.copy(start..<start + count)
    }
}
