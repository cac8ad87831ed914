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

    /// Whether colours of translucent pixels may be others that look the same.
    var mayChooseColors: Bool {
        bitmap.alpha == .premultiplied && (layout.color == .rgba || layout.color == .greyAlpha)
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

    /// Replaces colours of translucent pixels by those that come closest to what the filter Paeth expects, of all that
    /// are the same once they are multiplied by alpha.
    ///
    /// The colours that division by alpha gives are noisy: a photograph with a gradient of alpha takes up to twice the
    /// bytes of one without, and a shadow in one colour has many. But they depend on nothing else, so drawings may be
    /// smaller with them.
    ///
    /// - Precondition: ``mayChooseColors``. In front of both rows are the bytes of a pixel, all 0.
    func chooseColors(_ row: UnsafeMutableRawPointer, above: UnsafeMutableRawPointer) {
        let row = row.assumingMemoryBound(to: UInt8.self)
        let above = above.assumingMemoryBound(to: UInt8.self)
        let channels = layout.channels
        for x in 0..<bitmap.width {
            let pixel = x * channels
            let alpha = Int(row[pixel + channels - 1])
            guard alpha != 255, alpha != 0 else { continue }
            for index in pixel..<pixel + channels - 1 {
                let (left, up) = (Int(row[index - channels]), Int(above[index]))
                let corner = Int(above[index - channels])
                let (toLeft, toUp) = (abs(up - corner), abs(left - corner))
                let toCorner = abs(left + up - 2 * corner)
                let expected =
                    toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
                // All colours between these become `product`, rounded to nearest.
                let product = (Int(row[index]) * alpha + 127) / 255
                let lowest = product == 0 ? 0 : (510 * product - 255 + 2 * alpha - 1) / (2 * alpha)
                let highest = min((510 * product + 255) / (2 * alpha), 255)
                row[index] = UInt8(truncatingIfNeeded: min(max(expected, lowest), highest))
            }
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
