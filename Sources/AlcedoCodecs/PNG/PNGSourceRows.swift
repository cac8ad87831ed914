import AlcedoPixels

/// The rows of a bitmap in a PNG's layout, with straight alpha.
struct PNGSourceRows {
    let bitmap: Bitmap
    let layout: PNGLayout

    /// The indices of the palette's colours.
    private var indices: ExactPalette

    var bytesPerRow: Int { layout.rowBytes(bitmap.width) }

    /// Bytes of all rows with their filters.
    var filteredCount: Int { (1 + bytesPerRow) * bitmap.height }

    /// Bytes of a row buffer: a row of BGRA, rounded up to a multiple of 16.
    var capacity: Int { (bitmap.bytesPerRow + 15) / 16 * 16 }

    /// `layout` must have room for all colours of `bitmap`.
    init(_ bitmap: Bitmap, _ layout: PNGLayout) {
        self.bitmap = bitmap
        self.layout = layout
        indices = ExactPalette(of: layout.palette)
    }

    /// Writes a row to a buffer of ``capacity`` bytes.
    mutating func write(row y: Int, to memory: UnsafeMutableRawPointer) {
        bitmap.withUnsafeBytes { pixels in
            guard let base = pixels.baseAddress else { return }
            memory.copyMemory(from: base + y * bitmap.bytesPerRow, byteCount: bitmap.bytesPerRow)
        }
        let row = PixelRows(memory, PixelSize(width: bitmap.width, height: 1))
        if bitmap.alpha == .premultiplied { row.unpremultiply() }
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        switch layout.color {
        case .rgb:
            row.swapRedAndBlue()
            row.dropAlpha()
        case .rgba: row.swapRedAndBlue()
        case .grey:
            for x in 0..<bitmap.width {
                bytes[x] = UInt8(truncatingIfNeeded: row.base[x]) >> (8 - layout.depth)
            }
            pack(bytes)
        case .greyAlpha:
            for x in 0..<bitmap.width {
                let pixel = row.base[x]
                bytes[2 * x] = UInt8(truncatingIfNeeded: pixel)
                bytes[2 * x + 1] = UInt8(truncatingIfNeeded: pixel >> 24)
            }
        case .palette:
            let opacity: UInt32 = bitmap.alpha == .opaque ? 0xFF00_0000 : 0
            var (last, index) = (UInt32?.none, UInt8(0))
            for x in 0..<bitmap.width {
                let pixel = row.base[x] | opacity
                if pixel != last {
                    index = UInt8(truncatingIfNeeded: indices.index(of: pixel) ?? 0)
                    last = pixel
                }
                bytes[x] = index
            }
            pack(bytes)
        }
    }

    /// Packs samples of a byte each into as many bits as they have, the first one highest; zeros fill the last byte.
    private func pack(_ bytes: UnsafeMutablePointer<UInt8>) {
        guard layout.depth < 8 else { return }
        let perByte = 8 / layout.depth
        for target in 0..<bytesPerRow {
            let start = target * perByte
            var packed: UInt8 = 0
            for index in 0..<perByte {
                packed = packed << UInt8(layout.depth)
                if start + index < bitmap.width { packed |= bytes[start + index] }
            }
            bytes[target] = packed
        }
    }
}
