/// A replacement for a range of a PNG's bytes.
struct PNGRepair {
    let range: Range<Int>
    let bytes: [UInt8]

    /// The `IEND` chunk.
    static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

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
