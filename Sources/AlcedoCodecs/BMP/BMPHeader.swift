import AlcedoPixels

/// The headers of a device-independent bitmap: the body of a BMP file, and of most images in an icon.
///
/// Reads all headers from BITMAPCOREHEADER (OS/2) to BITMAPV5HEADER, as documented for the Windows GDI.
struct BMPHeader {
    /// Values of `biCompression`.
    enum Compression: Int {
        case none = 0
        case runLength8 = 1
        case runLength4 = 2
        case bitFields = 3
        case alphaBitFields = 6
    }

    /// Width and height; the height of an icon's bitmap includes its mask.
    var size: PixelSize
    let isTopDown: Bool
    let bitCount: Int
    let compression: Compression

    /// Bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
    let masks: [UInt32]

    /// The palette, and the bytes of an entry: blue, green, red, and perhaps one that is unused.
    let palette: Range<Int>
    let paletteEntry: Int

    /// Bytes of all compressed pixels; 0 if unknown.
    let pixelBytes: Int

    /// The end of the headers and the palette.
    var end: Int { palette.upperBound }

    /// Bytes of a row, which is padded to four bytes.
    var stride: Int { (size.width * bitCount + 31) / 32 * 4 }

    /// Bytes of all uncompressed rows but for the padding of the last one, which some writers leave out.
    var neededBytes: Int { stride * (size.height - 1) + (size.width * bitCount + 7) / 8 }

    /// Bytes of a row of an icon's mask, which is padded as well.
    var maskStride: Int { (size.width + 31) / 32 * 4 }

    /// The same for the mask.
    var neededMaskBytes: Int { maskStride * (size.height - 1) + (size.width + 7) / 8 }

    var isCompressed: Bool { compression == .runLength4 || compression == .runLength8 }

    // BITMAPCOREHEADER; OS/2's, short and long (16, 64); BITMAPINFOHEADER, alone and with masks (40 to 56); V4 and V5.
    private static let headerSizes: Set = [12, 16, 40, 52, 56, 64, 108, 124]
    private static let bitCounts: Set = [1, 4, 8, 16, 24, 32]

    /// Whether a header of a known size starts at `offset`.
    static func isHeader(_ bytes: RawSpan, at offset: Int) -> Bool {
        bytes.u32LE(offset).map { headerSizes.contains($0) } ?? false
    }

    init(_ bytes: RawSpan, at offset: Int, of format: EncodedFormat) throws(CodecError) {
        guard let headerSize = bytes.u32LE(offset), Self.headerSizes.contains(headerSize) else {
            throw .corrupt(format, reason: "its header has an unknown size")
        }
        guard bytes.byteCount >= offset + headerSize else { throw .truncated(format) }
        let isCore = headerSize == 12
        func long(_ position: Int) -> Int {
            headerSize >= position + 4 ? bytes.u32LE(offset + position) ?? 0 : 0
        }
        let width = isCore ? bytes.u16LE(offset + 4) ?? 0 : Int(Int32(truncatingIfNeeded: long(4)))
        let height = isCore ? bytes.u16LE(offset + 6) ?? 0 : Int(Int32(truncatingIfNeeded: long(8)))
        guard width > 0, height != 0 else { throw .corrupt(format, reason: "it has no pixels") }
        size = PixelSize(width: width, height: height.magnitude == 1 << 31 ? 1 << 31 : abs(height))
        isTopDown = height < 0
        bitCount = bytes.u16LE(offset + (isCore ? 10 : 14)) ?? 0
        guard Self.bitCounts.contains(bitCount) else {
            throw .unsupported(format, reason: "it has \(bitCount) bits per pixel")
        }
        // In the 64 bytes of OS/2's header, 3 is Huffman coding and 4 are run lengths of 24 bits.
        guard let compression = Compression(rawValue: long(16)), headerSize != 64 || long(16) < 3 else {
            throw .unsupported(format, reason: "it has compression \(long(16))")
        }
        self.compression = compression
        switch compression {
        case .none: break
        case .runLength8 where bitCount == 8, .runLength4 where bitCount == 4:
            guard !isTopDown else { throw .corrupt(format, reason: "its run lengths are top-down") }
        case .bitFields where bitCount == 16 || bitCount == 32: break
        case .alphaBitFields where bitCount == 16 || bitCount == 32: break
        default: throw .corrupt(format, reason: "its compression needs another number of bits per pixel")
        }
        pixelBytes = long(20)
        var start = offset + headerSize
        // A header of 40 bytes is followed by the masks.
        let count = compression == .bitFields ? 3 : compression == .alphaBitFields ? 4 : 0
        if count > 0, headerSize <= 40 {
            masks = (0..<4).map { $0 < count ? UInt32(bytes.u32LE(start + 4 * $0) ?? 0) : 0 }
            start += 4 * count
        } else if count > 0 {
            masks = (0..<4).map { UInt32(long(40 + 4 * $0)) }
        } else {
            masks = bitCount == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF_0000, 0xFF00, 0xFF, 0]
        }
        paletteEntry = isCore ? 3 : 4
        let most = bitCount <= 8 ? 1 << bitCount : 0
        let used = long(32)
        let colors = bitCount > 8 ? min(used, 256) : used == 0 ? most : min(used, most)
        palette = start..<start + colors * paletteEntry
        guard bytes.byteCount >= end else { throw .truncated(format) }
    }
}
