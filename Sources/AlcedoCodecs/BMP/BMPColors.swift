import AlcedoPixels

/// Converts the pixels of a bitmap to straight BGRA.
struct BMPColors {
    /// The bits of one channel in a pixel, scaled to 8 bits.
    private struct Channel {
        let mask: UInt32
        let shift: UInt32
        let maximum: UInt32

        init(_ mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
        }

        /// Rounds to nearest; 0 without bits.
        func value(_ pixel: UInt32) -> UInt32 {
            guard maximum > 0 else { return 0 }
            let bits = UInt64((pixel & mask) >> shift)
            return UInt32((bits * 255 + UInt64(maximum) / 2) / UInt64(maximum))
        }
    }

    /// BGRA of each index; black for indices beyond the palette.
    let palette: [UInt32]
    private let red, green, blue, alpha: Channel
    private let bitCount: Int
    private let isPlain: Bool

    var hasAlpha: Bool { alpha.mask != 0 }

    /// `hasPlainAlpha`: whether the fourth byte of a 32-bit pixel without masks is alpha, as in icons.
    init(_ header: BMPHeader, _ bytes: RawSpan, hasPlainAlpha: Bool = false) {
        let entry = header.paletteEntry
        palette = (0..<256).map { index in
            let position = header.palette.lowerBound + index * entry
            guard position + entry <= header.palette.upperBound, let color = bytes.u24LE(position) else {
                return 0xFF00_0000
            }
            return 0xFF00_0000 | UInt32(color)
        }
        bitCount = header.bitCount
        let masks = header.masks
        (red, green, blue) = (Channel(masks[0]), Channel(masks[1]), Channel(masks[2]))
        alpha = Channel(hasPlainAlpha && bitCount == 32 && masks[3] == 0 ? 0xFF00_0000 : masks[3])
        isPlain = bitCount == 32 && masks[0...2] == [0xFF_0000, 0xFF00, 0xFF]
    }

    /// Converts an uncompressed row; `row` has at least the bytes of its pixels.
    func convert(_ row: RawSpan, to target: UnsafeMutablePointer<UInt32>, count: Int) {
        switch bitCount {
        case 1, 4, 8:
            let (perByte, mask) = (8 / bitCount, (1 << bitCount) - 1)
            for index in 0..<count {
                let byte = Int(row.unsafeLoad(fromByteOffset: index / perByte, as: UInt8.self))
                target[index] = palette[byte >> (8 - bitCount - index % perByte * bitCount) & mask]
            }
        case 24:
            for index in 0..<count {
                target[index] = 0xFF00_0000 | UInt32(row.u24LE(3 * index) ?? 0)
            }
        case 16:
            for index in 0..<count { target[index] = color(UInt32(row.u16LE(2 * index) ?? 0)) }
        default:
            for index in 0..<count {
                let pixel = row.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
                let value = UInt32(littleEndian: pixel)
                target[index] = isPlain ? plain(value) : color(value)
            }
        }
    }

    private func plain(_ pixel: UInt32) -> UInt32 {
        alpha.mask == 0xFF00_0000 ? pixel : alpha.mask == 0 ? pixel | 0xFF00_0000 : color(pixel)
    }

    private func color(_ pixel: UInt32) -> UInt32 {
        let opacity = alpha.mask == 0 ? 255 : alpha.value(pixel)
        return opacity << 24 | red.value(pixel) << 16 | green.value(pixel) << 8 | blue.value(pixel)
    }
}
