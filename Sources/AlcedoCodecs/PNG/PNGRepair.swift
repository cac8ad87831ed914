/// A replacement for a range of a PNG's bytes.
struct PNGRepair {
    let range: Range<Int>
    let bytes: [UInt8]

    static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    /// Repairs for bytes that end in the `IDAT` chunk at `offset`, so that the chunk has all bytes that there are; nil for other bytes.
    static func imageData(_ bytes: RawSpan, at offset: Int) -> [PNGRepair]? {
        guard let length = bytes.u32BE(offset), bytes.u32BE(offset + 4) == PNGHeader.idat else { return nil }
        let end = min(bytes.byteCount, offset + 8 + length)
        let checksum = bytes.withUnsafeBytes { bytes in
            PNGChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<end]))
        }
        var (head, tail): ([UInt8], [UInt8]) = ([], [])
        PNGChunkWriter.append(UInt32(end - offset - 8), to: &head)
        PNGChunkWriter.append(checksum, to: &tail)
        return [
            PNGRepair(range: offset..<(offset + 4), bytes: head),
            PNGRepair(range: end..<bytes.byteCount, bytes: tail + Self.end),
        ]
    }

    /// The first 256 colours of an oversized palette; nil if the palette has at most 256, or its checksum is wrong.
    static func palette(_ bytes: RawSpan, _ chunk: Range<Int>) -> [UInt8]? {
        let byteLimit = 256 * 3
        guard chunk.count > 12 + byteLimit, PNGChecksum.isValid(in: bytes, chunk) else { return nil }
        let start = chunk.lowerBound + 8
        var writer = PNGChunkWriter()
        writer.add("PLTE", bytes.copy(start..<start + byteLimit)[...])
        return Array(writer.bytes.dropFirst(8))
    }
}
