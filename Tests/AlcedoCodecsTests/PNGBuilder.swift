import AlcedoTestSupport

/// Writes PNGs of 8 bits a channel whose filtered rows are known, with data that is never compressed.
struct PNGBuilder {
    var width: Int
    var height: Int
    var hasAlpha: Bool
    /// For each row the filter, then the bytes.
    var rows: [UInt8]
    /// Bytes of image data in a chunk.
    var chunkSize = 1 << 20
    /// Adds a palette, which a file in true colour may have for screens of few colours.
    var hasPalette = false
    /// Bytes after the compressed data.
    var rest: [UInt8] = []

    /// Rows of anything, each with a filter of `filters`.
    static func noise(
        _ width: Int,
        _ height: Int,
        hasAlpha: Bool,
        filters: ClosedRange<UInt8> = 0...4
    ) -> PNGBuilder {
        var random = SeededGenerator(seed: UInt64(width * 1000 + height))
        var rows: [UInt8] = []
        for _ in 0..<height {
            rows.append(.random(in: filters, using: &random))
            for _ in 0..<(width * (hasAlpha ? 4 : 3)) { rows.append(.random(in: 0...255, using: &random)) }
        }
        return PNGBuilder(width: width, height: height, hasAlpha: hasAlpha, rows: rows)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size = Self.u32(UInt32(width)) + Self.u32(UInt32(height))
        bytes += Self.chunk("IHDR", size + [8, hasAlpha ? 6 : 2, 0, 0, 0])
        if hasPalette { bytes += Self.chunk("PLTE", [1, 2, 3]) }
        let data = stream + rest
        for start in stride(from: 0, to: data.count, by: chunkSize) {
            bytes += Self.chunk("IDAT", Array(data[start..<min(start + chunkSize, data.count)]))
        }
        return bytes + Self.chunk("IEND", [])
    }

    /// The rows in stored blocks.
    private var stream: [UInt8] { Self.stored(rows) }

    /// A zlib stream of `bytes` in stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            let count = UInt16(block.count)
            stream.append(start + block.count == bytes.count ? 1 : 0)
            for number in [count, ~count] { stream += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            stream += block
        }
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        return stream + u32(UInt32(high << 16 | low))
    }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + body
        let sum = named.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
        return u32(UInt32(body.count)) + named + u32(~sum)
    }

    private static func u32(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
    }
}
