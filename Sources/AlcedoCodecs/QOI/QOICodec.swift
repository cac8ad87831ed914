public import AlcedoPixels

/// QOI, the Quite OK Image format (qoiformat.org), which is read.
///
/// Its note that a picture is in linear light is ignored, as it says nothing about how pixels are stored.
public struct QOICodec: ImageCodec {
    private static let headerSize = 14

    /// Bytes after the last pixel.
    private static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    public init() {}

    /// QOI if `bytes` start with its signature.
    public func format(of bytes: RawSpan) -> EncodedFormat? { bytes.has("qoif", at: 0) ? .qoi : nil }

    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let (size, hasAlpha) = try header(of: bytes, limits: limits)
        let end = bytes.byteCount - Self.end.count
        let isComplete =
            end >= Self.headerSize
            && Self.end.indices.allSatisfy {
                bytes.u8(end + $0) == Int(Self.end[$0])
            }
        return ImageInfo(format: .qoi, size: size, hasAlpha: hasAlpha, isComplete: isComplete)
    }

    /// Whether only the end is missing, or something follows it.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        (try? decode(bytes, options: DecodeOptions(limits: limits))) != nil
    }

    /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let (size, hasAlpha) = try header(of: bytes, limits: options.limits)
        try options.limits.check(frame: size, of: .qoi)
        // A byte has 62 pixels at most.
        guard size.area / QOIPixels.longestRun <= bytes.byteCount - Self.headerSize else {
            throw .truncated(.qoi)
        }
        let deadline = Deadline(options.limits)
        let converter = RowConverter(nil, hasAlpha: hasAlpha, isPremultiplied: false, options: options)
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        let alpha: Bitmap.Alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            try bytes.withUnsafeBytes { input throws(CodecError) in
                var state = QOIPixels(UnsafeRawBufferPointer(rebasing: input[Self.headerSize...]))
                for index in 0..<size.height {
                    if index % Deadline.rows(of: size.width) == 0 { try deadline.check() }
                    guard state.write(to: rows.row(index).base, count: size.width) else {
                        throw .truncated(.qoi)
                    }
                }
            }
            return converter.finish(bgra: rows)
        }
        pixels.alpha = alpha
        return pixels.freeze()
    }

    private func header(
        of bytes: RawSpan, limits: DecodeLimits
    ) throws(CodecError) -> (size: PixelSize, hasAlpha: Bool) {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil else { throw .unknownFormat }
        guard let width = bytes.u32BE(4), let height = bytes.u32BE(8), let channels = bytes.u8(12),
            bytes.u8(13) != nil
        else { throw .truncated(.qoi) }
        guard channels == 3 || channels == 4 else {
            throw .corrupt(.qoi, reason: "it has \(channels) channels")
        }
        let size = PixelSize(width: width, height: height)
        try limits.check(stored: size, of: .qoi)
        return (size, channels == 4)
    }
}

/// The pixels of a QOI, from its first byte after the header on.
private struct QOIPixels {
    /// The most pixels that one byte stands for.
    static let longestRun = 62

    private let input: UnsafeRawBufferPointer
    private var position = 0

    /// Straight BGRA, as a little-endian number.
    private var pixel: UInt32 = 0xFF00_0000
    private var run = 0
    private var recent = [UInt32](repeating: 0, count: 64)

    init(_ input: UnsafeRawBufferPointer) { self.input = input }

    /// Writes a row; false if the bytes end before it.
    mutating func write(to row: UnsafeMutablePointer<UInt32>, count: Int) -> Bool {
        for x in 0..<count {
            if run > 0 {
                run -= 1
            } else if !next() {
                return false
            }
            row[x] = pixel
        }
        return true
    }

    /// Reads a chunk; false if there is none.
    private mutating func next() -> Bool {
        guard position < input.count else { return false }
        let tag = input[position]
        position += 1
        switch tag {
        case 0xFE, 0xFF:
            let count = tag == 0xFF ? 4 : 3
            guard position + count <= input.count else { return false }
            let alpha = tag == 0xFF ? UInt32(input[position + 3]) << 24 : pixel & 0xFF00_0000
            pixel =
                alpha | UInt32(input[position]) << 16 | UInt32(input[position + 1]) << 8
                | UInt32(input[position + 2])
            position += count
        case 0..<0x40:
            pixel = recent[Int(tag)]
            return true
        case 0x40..<0x80:
            add(red: tag >> 4 & 3 &- 2, green: tag >> 2 & 3 &- 2, blue: tag & 3 &- 2)
        case 0x80..<0xC0:
            guard position < input.count else { return false }
            let second = input[position]
            position += 1
            let green = (tag & 63) &- 32
            add(red: green &- 8 &+ second >> 4, green: green, blue: green &- 8 &+ second & 15)
        default:
            run = Int(tag & 63)
        }
        let red = pixel >> 16 & 0xFF
        let green = pixel >> 8 & 0xFF
        let place = red &* 3 &+ green &* 5 &+ (pixel & 0xFF) &* 7 &+ (pixel >> 24) &* 11
        recent[Int(place & 63)] = pixel
        return true
    }

    private mutating func add(red: UInt8, green: UInt8, blue: UInt8) {
        let sum = (
            UInt8(truncatingIfNeeded: pixel >> 16) &+ red, UInt8(truncatingIfNeeded: pixel >> 8) &+ green,
            UInt8(truncatingIfNeeded: pixel) &+ blue
        )
        pixel = pixel & 0xFF00_0000 | UInt32(sum.0) << 16 | UInt32(sum.1) << 8 | UInt32(sum.2)
    }
}
