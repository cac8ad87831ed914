/// Bytes of a PNG that are read as others.
struct PNGRepair {
    let range: Range<Int>
    let bytes: [UInt8]

    /// The final chunk.
    static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    /// A palette of the first 256 colours; nil if the chunk has no more, or its checksum is wrong.
    static func palette(_ bytes: RawSpan, _ chunk: Range<Int>) -> [UInt8]? {
        let mostBytes = 256 * 3
        guard chunk.count > 12 + mostBytes, PNGChecksum.isRight(in: bytes, chunk) else { return nil }
        let start = chunk.lowerBound + 8
        var writer = PNGChunkWriter()
        writer.add("PLTE", bytes.copy(start..<start + mostBytes)[...])
        return Array(writer.bytes.dropFirst(8))
    }
}
