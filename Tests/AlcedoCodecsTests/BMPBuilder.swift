/// Writes BMP files and the bitmaps of icons, as the formats are documented.
struct BMPBuilder {
    var width = 0
    var height = 0
    var bits = 24
    var compression = 0
    var palette: [UInt32] = []
    var masks: [UInt32] = []
    var headerSize = 40

    /// Rows in the order of the file, without padding; or all compressed bytes in one.
    var rows: [[UInt8]] = []

    static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func long(_ number: Int) -> [UInt8] { Self.bytes(number, 4) }
    private func short(_ number: Int) -> [UInt8] { Self.bytes(number, 2) }

    private var pixels: [UInt8] {
        if compression == 1 || compression == 2 { return rows.flatMap { $0 } }
        return rows.flatMap { $0 + [UInt8](repeating: 0, count: (4 - $0.count % 4) % 4) }
    }

    /// Zeros after the last row.
    var lastPadding: Int {
        compression == 1 || compression == 2 ? 0 : (4 - (rows.last?.count ?? 0) % 4) % 4
    }

    /// The header, the palette, and the offset of the pixels.
    var headers: [UInt8] {
        if headerSize == 12 {
            let colors = palette.flatMap { Self.bytes(Int($0), 3) }
            return long(12) + short(width) + short(height) + short(1) + short(bits) + colors
        }
        var header = long(headerSize) + long(width) + long(height) + short(1) + short(bits)
        header += long(compression) + long(pixels.count) + long(2835) + long(2835)
        header += long(palette.count) + long(0)
        let maskBytes = masks.flatMap { long(Int($0)) }
        header += maskBytes
        if headerSize > 40 { header += [UInt8](repeating: 0, count: headerSize - header.count) }
        return header + palette.flatMap { long(Int($0)) }
    }

    var file: [UInt8] {
        let (headers, pixels) = (headers, pixels)
        let start = 14 + headers.count
        return Array("BM".utf8) + long(start + pixels.count) + long(0) + long(start) + headers + pixels
    }

    /// An icon's bitmap: the height counts the mask too.
    func iconBitmap(mask: [[UInt8]]) -> [UInt8] {
        var copy = self
        copy.height = 2 * height
        return copy.headers + pixels
            + mask.flatMap { $0 + [UInt8](repeating: 0, count: (4 - $0.count % 4) % 4) }
    }

    /// An icon file of images with their side and bits per pixel.
    static func icon(_ images: [(side: Int, bits: Int, bytes: [UInt8])]) -> [UInt8] {
        var file = bytes(0, 2) + bytes(1, 2) + bytes(images.count, 2)
        var offset = 6 + 16 * images.count
        for image in images {
            file += [UInt8(truncatingIfNeeded: image.side), UInt8(truncatingIfNeeded: image.side), 0, 0]
            file += bytes(1, 2) + bytes(image.bits, 2) + bytes(image.bytes.count, 4) + bytes(offset, 4)
            offset += image.bytes.count
        }
        return file + images.flatMap(\.bytes)
    }
}
