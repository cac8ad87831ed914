public import AlcedoPixels

/// TGA, Truevision's format of 1984 and 1989, which is read: true colour, grey and palettes, with run lengths or not.
///
/// The format has no signature at its start: a header counts whose numbers fit together. Alpha that is 0 everywhere is ignored, as in a
/// ``BMPCodec``'s. Images stored right to left or bottom up are shown as they are meant.
public struct TGACodec: ImageCodec {
    public init() {}

    /// TGA if `bytes` start with a header of a kind that exists.
    public func format(of bytes: RawSpan) -> EncodedFormat? { TGAHeader(bytes) == nil ? nil : .tga }

    /// Reads the header, and the lengths of all runs.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let header = try header(of: bytes, limits: limits)
        let isComplete = bytes.withUnsafeBytes { TGAPixels(header, $0)?.hasAll(header.size.area) ?? false }
        return ImageInfo(format: .tga, size: header.size, hasAlpha: header.hasAlpha, isComplete: isComplete)
    }

    /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try header(of: bytes, limits: options.limits)
        let size = header.size
        try options.limits.check(frame: size, of: .tga)
        let deadline = Deadline(options.limits)
        guard bytes.withUnsafeBytes({ TGAPixels(header, $0)?.hasAll(size.area) ?? false }) else {
            throw .truncated(.tga)
        }
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        let alpha: Bitmap.Alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            try bytes.withUnsafeBytes { input throws(CodecError) in
                guard var source = TGAPixels(header, input) else { throw .truncated(.tga) }
                for index in 0..<size.height {
                    if index % Deadline.rows(of: size.width) == 0 { try deadline.check() }
                    let row = rows.row(header.isTopDown ? index : size.height - 1 - index).base
                    guard source.write(to: row, count: size.width) else {
                        throw .corrupt(.tga, reason: "a pixel has a colour that the palette lacks")
                    }
                    if header.isMirrored {
                        var pixels = UnsafeMutableBufferPointer(start: row, count: size.width)
                        pixels.reverse()
                    }
                }
            }
            guard header.hasAlpha else {
                rows.makeOpaque()
                return .opaque
            }
            return rows.finishStraight(options)
        }
        pixels.alpha = alpha
        return pixels.freeze()
    }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> TGAHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        guard let header = TGAHeader(bytes) else { throw .unknownFormat }
        try limits.check(stored: header.size, of: .tga)
        return header
    }
}

/// The 18 bytes at the start of a TGA.
private struct TGAHeader {
    let size: PixelSize

    /// Where the palette starts, its entries and their bits; no entries without a palette.
    let palette: (start: Int, first: Int, count: Int, bits: Int)

    let isIndexed: Bool
    let isGrey: Bool
    let hasRuns: Bool

    /// Bits of a stored pixel.
    let bits: Int

    let isTopDown: Bool
    let isMirrored: Bool

    /// Whether pixels have a place for alpha.
    var hasAlpha: Bool {
        let colorBits = isIndexed ? palette.bits : bits
        return isGrey ? bits == 16 : colorBits == 32 || colorBits == 16
    }

    var pixelsStart: Int { palette.start + palette.count * ((palette.bits + 7) / 8) }

    /// Nil for numbers that no TGA has.
    init?(_ bytes: RawSpan) {
        guard let name = bytes.u8(0), let mapType = bytes.u8(1), mapType <= 1, let kind = bytes.u8(2),
            let first = bytes.u16LE(3), let count = bytes.u16LE(5), let mapBits = bytes.u8(7),
            let width = bytes.u16LE(12), let height = bytes.u16LE(14), width > 0, height > 0,
            let bits = bytes.u8(16), let flags = bytes.u8(17), flags < 64
        else { return nil }
        isIndexed = kind == 1 || kind == 9
        isGrey = kind == 3 || kind == 11
        hasRuns = kind > 8
        let isKnown =
            switch kind {
            case 1, 9: mapType == 1 && count > 0 && bits == 8
            case 2, 10: [15, 16, 24, 32].contains(bits)
            case 3, 11: bits == 8 || bits == 16
            default: false
            }
        let hasMap = mapType == 1 && [15, 16, 24, 32].contains(mapBits)
        guard isKnown, hasMap || mapType == 0 && first == 0 && count == 0, [0, 1, 8].contains(flags & 15)
        else { return nil }
        size = PixelSize(width: width, height: height)
        palette = (18 + name, first, hasMap ? count : 0, mapBits)
        self.bits = bits
        (isTopDown, isMirrored) = (flags & 32 != 0, flags & 16 != 0)
    }
}

/// The pixels of a TGA in the order of the file.
private struct TGAPixels {
    private let input: UnsafeRawBufferPointer
    private let header: TGAHeader
    private let byteCount: Int
    private let palette: [UInt32]
    private var position: Int

    /// Pixels of the present packet that are still to be read.
    private var left = 0

    /// Whether they are all the same.
    private var isRun = false

    /// Nil if the bytes end before the pixels.
    init?(_ header: TGAHeader, _ input: UnsafeRawBufferPointer) {
        guard header.pixelsStart <= input.count else { return nil }
        (self.header, self.input, position) = (header, input, header.pixelsStart)
        byteCount = (header.bits + 7) / 8
        let entry = (header.palette.bits + 7) / 8
        palette =
            header.isIndexed
            ? (0..<header.palette.count).map { index in
                Self.color(input, header.palette.start + index * entry, header.palette.bits)
            } : []
    }

    /// Whether the bytes have so many pixels; reads the lengths of runs only.
    func hasAll(_ count: Int) -> Bool {
        guard header.hasRuns else { return (input.count - position) / byteCount >= count }
        var (place, found) = (position, 0)
        while found < count {
            guard place < input.count else { return false }
            let length = Int(input[place] & 127) + 1
            place += 1 + (input[place] < 128 ? length : 1) * byteCount
            guard place <= input.count else { return false }
            found += length
        }
        return true
    }

    /// Writes straight BGRA, of bytes that have been counted; false for a colour that the palette lacks.
    mutating func write(to row: UnsafeMutablePointer<UInt32>, count: Int) -> Bool {
        for x in 0..<count {
            if left == 0 { startPacket() }
            guard let pixel = pixel(at: position) else { return false }
            row[x] = pixel
            left -= 1
            if !isRun || left == 0 { position += byteCount }
        }
        return true
    }

    private mutating func startPacket() {
        guard header.hasRuns else {
            (left, isRun) = (.max, false)
            return
        }
        let head = input[position]
        position += 1
        (left, isRun) = (Int(head & 127) + 1, head > 127)
    }

    private func pixel(at place: Int) -> UInt32? {
        if header.isIndexed {
            let index = Int(input[place]) - header.palette.first
            return palette.indices.contains(index) ? palette[index] : nil
        }
        guard header.isGrey else { return Self.color(input, place, header.bits) }
        let alpha = header.bits == 16 ? UInt32(input[place + 1]) : 255
        return alpha << 24 | UInt32(input[place]) * 0x01_0101
    }

    /// A colour of 15, 16, 24 or 32 bits, which are blue, green, red and alpha from the lowest on.
    private static func color(_ input: UnsafeRawBufferPointer, _ place: Int, _ bits: Int) -> UInt32 {
        guard bits > 16 else {
            let value = UInt32(input[place]) | UInt32(input[place + 1]) << 8
            func level(_ shift: UInt32) -> UInt32 {
                let five = value >> shift & 31
                return five << 3 | five >> 2
            }
            return (value >> 15) * 0xFF00_0000 | level(10) << 16 | level(5) << 8 | level(0)
        }
        let alpha = bits == 32 ? UInt32(input[place + 3]) : 255
        return alpha << 24 | UInt32(input[place + 2]) << 16 | UInt32(input[place + 1]) << 8
            | UInt32(input[place])
    }
}
