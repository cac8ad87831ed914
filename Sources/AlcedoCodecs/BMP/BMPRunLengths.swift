import AlcedoPixels

/// Decodes run lengths of 4 or 8 bits per pixel; skipped pixels stay clear.
struct BMPRunLengths {
    private let palette: [UInt32]
    private let isNibbles: Bool
    private let size: PixelSize

    init(_ header: BMPHeader, _ palette: [UInt32]) {
        self.palette = palette
        isNibbles = header.bitCount == 4
        size = header.size
    }

    /// Decodes `bytes` from `start` on, bottom row first.
    ///
    /// - Throws: ``CodecError`` if the bytes end before the end marker and the last row.
    func decode(
        _ bytes: RawSpan, from start: Int, to rows: PixelRows, _ deadline: Deadline
    ) throws(CodecError) {
        var (x, y, position, steps) = (0, 0, start, 0)
        while y < size.height {
            steps += 1
            if steps % 4096 == 0 { try deadline.check() }
            guard let count = bytes.u8(position), let value = bytes.u8(position + 1) else {
                // The end marker may be missing after the last pixel.
                if y == size.height - 1, x >= size.width { return }
                throw .truncated(.bmp)
            }
            position += 2
            switch (count, value) {
            case (0, 0): (x, y) = (0, y + 1)
            case (0, 1): return
            case (0, 2):
                guard let right = bytes.u8(position), let up = bytes.u8(position + 1) else {
                    throw .truncated(.bmp)
                }
                position += 2
                (x, y) = (x + right, y + up)
            case (0, let literals):
                let byteCount = isNibbles ? (literals + 1) / 2 : literals
                guard position + byteCount <= bytes.byteCount else { throw .truncated(.bmp) }
                for index in 0..<literals {
                    let byte = bytes.u8(position + (isNibbles ? index / 2 : index)) ?? 0
                    put(isNibbles ? nibble(byte, index) : byte, &x, y, rows)
                }
                position += byteCount + byteCount % 2
            default:
                for index in 0..<count { put(isNibbles ? nibble(value, index) : value, &x, y, rows) }
            }
        }
    }

    private func nibble(_ byte: Int, _ index: Int) -> Int { index % 2 == 0 ? byte >> 4 : byte & 15 }

    /// Ignores pixels beyond the end of a row.
    @inline(__always)
    private func put(_ index: Int, _ x: inout Int, _ y: Int, _ rows: PixelRows) {
        if x < size.width { rows.base[(size.height - 1 - y) * size.width + x] = palette[index] }
        x += 1
    }
}
