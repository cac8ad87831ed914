public import AlcedoPixels

/// Netpbm's formats, which are read: PBM, PGM and PPM as text or as bytes, and PAM.
///
/// Samples of more than 8 bits are kept with ``ColorRetention/full``, and otherwise become 8. They count as sRGB, as in other
/// programs. Of a file with several pictures the first one is read.
public struct PNMCodec: ImageCodec {
    public init() {}

    /// PNM if `bytes` start with one of the seven signatures, and a header after it.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        guard bytes.has("P", at: 0), let kind = bytes.u8(1), let space = bytes.u8(2) else { return nil }
        if kind == 0x37 { return space == 0x0A ? .pnm : nil }
        guard (0x31...0x36).contains(kind), PNMText.isSpace(space), let next = bytes.u8(3) else { return nil }
        return PNMText.isDigit(next) || PNMText.isSpace(next) || next == PNMText.comment ? .pnm : nil
    }

    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let header = try header(of: bytes, limits: limits)
        var isComplete = bytes.byteCount - header.end >= header.neededBytes
        if isComplete, header.isText {
            isComplete = try bytes.withUnsafeBytes { input throws(CodecError) in
                var text = PNMText(input, at: header.end)
                return try text.hasSamples(of: header, until: Deadline(limits))
            }
        }
        return ImageInfo(
            format: .pnm, size: header.size, hasAlpha: header.hasAlpha, isComplete: isComplete)
    }

    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        let isDeep = (try? header(of: bytes, limits: options.limits))?.isDeep == true
        return DecodeMemory(
            result: info.size.area * (isDeep ? options.colorRetention.bytesPerPixel : 4))
    }

    /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try header(of: bytes, limits: options.limits)
        let size = header.size
        try options.limits.check(frame: size, of: .pnm)
        guard bytes.byteCount - header.end >= header.neededBytes else { throw .truncated(.pnm) }
        let deadline = Deadline(options.limits)
        if header.isDeep { return try decodeDeep(bytes, header, until: deadline, options: options) }
        let converter = RowConverter(
            nil, hasAlpha: header.hasAlpha, isPremultiplied: false, options: options)
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        let alpha: Bitmap.Alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            try bytes.withUnsafeBytes { input throws(CodecError) in
                var samples = PNMSamples(header, input)
                for index in 0..<size.height {
                    if index % Deadline.rows(of: size.width) == 0 { try deadline.check() }
                    guard samples.write(to: rows.row(index).base, count: size.width) else {
                        throw samples.failure
                    }
                }
            }
            return converter.finish(bgra: rows)
        }
        pixels.alpha = alpha
        return pixels.freeze()
    }

    private func decodeDeep(
        _ bytes: RawSpan, _ header: PNMHeader, until deadline: Deadline, options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        let converter = SampleConverter(
            nil, isDeep: true, hasAlpha: header.hasAlpha, isPremultiplied: false, options: options)
        return try bytes.withUnsafeBytes { input throws(CodecError) in
            var samples = PNMSamples(header, input)
            return try converter.bitmap(of: header.size, until: deadline) { _, row throws(CodecError) in
                guard samples.write(to: row) else { throw samples.failure }
            }
        }
    }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> PNMHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil else { throw .unknownFormat }
        let header = try bytes.withUnsafeBytes { (input) throws(CodecError) in try PNMHeader(input) }
        try limits.check(stored: header.size, of: .pnm)
        return header
    }
}

extension PNMCodec: ColorDescribing {
    package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
        (try? header(of: bytes, limits: limits)).map {
            StoredColors(bits: Int.bitWidth - $0.largest.leadingZeroBitCount)
        }
    }
}

/// The lines before the samples.
private struct PNMHeader {
    private(set) var size = PixelSize(width: 0, height: 0)

    /// Samples of a pixel: 1 or 3, and one more with alpha.
    private(set) var channels = 1

    /// The largest sample, of which white is made; 1 of a PBM.
    private(set) var largest = 1

    /// A PBM, in which 1 is black.
    let isBitmap: Bool
    let isText: Bool

    /// Where the samples start.
    private(set) var end = 2

    var hasAlpha: Bool { channels % 2 == 0 }

    /// Whether samples have more than 8 bits.
    var isDeep: Bool { largest > 255 }

    private var rowBytes: Int {
        isBitmap ? (size.width + 7) / 8 : size.width * channels * (isDeep ? 2 : 1)
    }

    /// The bytes of all samples; of a text the fewest that it can have.
    var neededBytes: Int {
        guard isText else { return rowBytes * size.height }
        return isBitmap ? size.area : size.area * channels * 2 - 1
    }

    init(_ input: UnsafeRawBufferPointer) throws(CodecError) {
        let kind = input[1] - 0x30
        (isBitmap, isText) = (kind % 3 == 1 && kind < 7, kind < 4)
        if kind == 7 {
            try readFields(input)
        } else {
            var text = PNMText(input, at: 2)
            channels = kind % 3 == 0 ? 3 : 1
            size.width = try Self.side(text.number())
            size.height = try Self.side(text.number())
            if !isBitmap { largest = try Self.checked(largest: text.number()) }
            // One space, whatever the first sample is.
            end = text.position + 1
        }
        guard end <= input.count else { throw .truncated(.pnm) }
    }

    /// Reads the lines of a PAM.
    private mutating func readFields(_ input: UnsafeRawBufferPointer) throws(CodecError) {
        var (start, depth) = (3, 0)
        // No file has so many, and a header is read without a limit of time.
        for _ in 0..<Self.mostLines {
            guard let line = PNMText.line(input, &start) else { throw .truncated(.pnm) }
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            switch (words.first, words.count) {
            case ("ENDHDR", _):
                guard (1...4).contains(depth) else {
                    throw .unsupported(.pnm, reason: "\(depth) samples a pixel")
                }
                _ = try (Self.side(size.width), Self.side(size.height), Self.checked(largest: largest))
                (channels, end) = (depth, start)
                return
            case ("WIDTH", 2): size.width = Int(words[1]) ?? 0
            case ("HEIGHT", 2): size.height = Int(words[1]) ?? 0
            case ("DEPTH", 2): depth = Int(words[1]) ?? 0
            case ("MAXVAL", 2): largest = Int(words[1]) ?? 0
            default: continue
            }
        }
        throw .corrupt(.pnm, reason: "its header has more than \(Self.mostLines) lines")
    }

    private static let mostLines = 64

    private static func side(_ value: Int?) throws(CodecError) -> Int {
        guard let value, (1...1 << 24).contains(value) else {
            throw .corrupt(.pnm, reason: "its header has no width and height from 1 to \(1 << 24)")
        }
        return value
    }

    private static func checked(largest: Int?) throws(CodecError) -> Int {
        guard let largest, (1...65_535).contains(largest) else {
            throw .corrupt(.pnm, reason: "its largest sample is not from 1 to 65535")
        }
        return largest
    }
}

/// Numbers of a text, between which are spaces and comments.
private struct PNMText {
    static let comment = 0x23

    private let input: UnsafeRawBufferPointer
    private(set) var position: Int

    init(_ input: UnsafeRawBufferPointer, at position: Int) {
        (self.input, self.position) = (input, position)
    }

    var isAtEnd: Bool { position >= input.count }

    static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    static func isDigit(_ byte: Int) -> Bool { (0x30...0x39).contains(byte) }

    /// Skips spaces and comments.
    private mutating func skip() {
        while position < input.count {
            if input[position] == Self.comment {
                while position < input.count, input[position] != 0x0A { position += 1 }
            } else if !Self.isSpace(Int(input[position])) {
                return
            } else {
                position += 1
            }
        }
    }

    /// The next number, up to ten digits; nil if there is none.
    mutating func number() -> Int? {
        skip()
        var (value, count) = (0, 0)
        while position < input.count, Self.isDigit(Int(input[position])), count < 10 {
            value = value * 10 + Int(input[position]) - 0x30
            (position, count) = (position + 1, count + 1)
        }
        return count > 0 ? value : nil
    }

    /// The next digit of a PBM, which needs no space after it; nil if it is not 0 or 1.
    mutating func bit() -> Int? {
        skip()
        guard position < input.count, input[position] == 0x30 || input[position] == 0x31 else { return nil }
        position += 1
        return Int(input[position - 1]) - 0x30
    }

    /// Reads all samples of a picture; true as well if one is no number, which is another damage than an early end.
    mutating func hasSamples(of header: PNMHeader, until deadline: Deadline) throws(CodecError) -> Bool {
        let count = header.size.width * header.channels
        for row in 0..<header.size.height {
            if row % Deadline.rows(of: count) == 0 { try deadline.check() }
            for _ in 0..<count where (header.isBitmap ? bit() : number()) == nil { return !isAtEnd }
        }
        return true
    }

    /// A line of up to 200 bytes; nil if it is longer, or there is none.
    static func line(_ input: UnsafeRawBufferPointer, _ start: inout Int) -> String? {
        guard start < input.count else { return nil }
        let longest = input[start] == comment ? input.count : 200
        guard let end = input[start...].prefix(longest).firstIndex(of: 0x0A) else { return nil }
        let line = input[start..<min(end, start + 200)]
        start = end + 1
        return String(decoding: line, as: UTF8.self)
    }
}

/// The samples of a file, row by row.
private struct PNMSamples {
    private let header: PNMHeader
    private let input: UnsafeRawBufferPointer
    private var text: PNMText
    private var position: Int

    init(_ header: PNMHeader, _ input: UnsafeRawBufferPointer) {
        (self.header, self.input, position) = (header, input, header.end)
        text = PNMText(input, at: header.end)
    }

    /// Why a row can't be written.
    var failure: CodecError {
        text.isAtEnd ? .truncated(.pnm) : .corrupt(.pnm, reason: "a sample is no number")
    }

    /// Writes straight BGRA; false for a text that ends, or has something else than numbers.
    mutating func write(to row: UnsafeMutablePointer<UInt32>, count: Int) -> Bool {
        if header.isBitmap { return writeBits(to: row, count: count) }
        let (channels, colors) = (header.channels, header.channels > 2 ? 3 : 1)
        for x in 0..<count {
            var pixel: UInt32 = 0
            for channel in 0..<channels {
                guard let sample = sample() else { return false }
                let level = UInt32((min(sample, header.largest) * 255 + header.largest / 2) / header.largest)
                if channel == colors {
                    pixel |= level << 24
                } else {
                    pixel |= colors == 1 ? level * 0x01_0101 : level << UInt32(16 - channel * 8)
                }
            }
            row[x] = pixel
        }
        return true
    }

    /// Writes straight RGBA of 16 bits; false as for bytes.
    mutating func write(to row: DeepPixels) -> Bool {
        let (channels, colors) = (header.channels, header.channels > 2 ? 3 : 1)
        for x in row.indices {
            var pixel = SIMD4<UInt16>.zero
            for channel in 0..<channels {
                guard let sample = sample() else { return false }
                let level = UInt16(
                    (min(sample, header.largest) * 65_535 + header.largest / 2) / header.largest)
                if channel == colors {
                    pixel.w = level
                } else if colors == 1 {
                    (pixel.x, pixel.y, pixel.z) = (level, level, level)
                } else {
                    pixel[channel] = level
                }
            }
            row[x] = pixel
        }
        return true
    }

    private mutating func sample() -> Int? {
        if header.isText { return text.number() }
        defer { position += header.isDeep ? 2 : 1 }
        return header.isDeep ? Int(input[position]) << 8 | Int(input[position + 1]) : Int(input[position])
    }

    private mutating func writeBits(to row: UnsafeMutablePointer<UInt32>, count: Int) -> Bool {
        for x in 0..<count {
            if header.isText {
                guard let bit = text.bit() else { return false }
                row[x] = bit == 1 ? 0 : 0xFF_FFFF
            } else {
                row[x] = input[position + x / 8] >> UInt8(7 - x % 8) & 1 == 1 ? 0 : 0xFF_FFFF
            }
        }
        position += (count + 7) / 8
        return true
    }
}
