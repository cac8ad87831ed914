public import Alcedo

/// farbfeld: 16 bits per channel, uncompressed, with a specification of six lines (tools.suckless.org/farbfeld).
///
/// A format needs only this file. After registration, at the start of a program, farbfeld images are loaded,
/// processed and cached on disk like those of other formats:
///
///     CodecRegistry.shared.register(FarbfeldCodec())
public struct FarbfeldCodec: ImageCodec {
    /// The format, named by its usual file extension.
    public static let format = EncodedFormat(rawValue: "ff")

    private static let magic = Array("farbfeld".utf8)
    private static let headerSize = 16

    /// Makes the codec.
    public init() {}

    /// farbfeld if `bytes` start with the signature.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        guard bytes.byteCount >= Self.magic.count else { return nil }
        let isOurs = Self.magic.indices.allSatisfy { byte(bytes, $0) == Self.magic[$0] }
        return isOurs ? Self.format : nil
    }

    /// Reads width and height, and checks the limits, because the bytes are untrusted.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil else { throw .unknownFormat }
        guard bytes.byteCount >= Self.headerSize else { throw .truncated(Self.format) }
        let size = PixelSize(width: number(bytes, 8), height: number(bytes, 12))
        try limits.check(frame: size, of: Self.format)
        let isComplete = bytes.byteCount - Self.headerSize >= size.area * 8
        return ImageInfo(format: Self.format, size: size, hasAlpha: true, isComplete: isComplete)
    }

    /// Keeps the high byte of each channel, in the channel order of bitmaps: blue, green, red, alpha.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let info = try info(of: bytes, limits: options.limits)
        guard info.isComplete else { throw .truncated(Self.format) }
        var pixels = try PixelBuilder(size: info.size, alpha: .straight)
        pixels.withUnsafeMutableBytes { output in
            for index in 0..<info.size.area {
                for (offset, channel) in [2, 1, 0, 3].enumerated() {
                    output[index * 4 + offset] = byte(bytes, Self.headerSize + index * 8 + channel * 2)
                }
            }
        }
        let bitmap = pixels.freeze()
        if options.keepsStraightAlpha { return bitmap }
        // Premultiplies colours, unless the bitmap is for an encoder.
        return try bitmap.withBytes { bytes throws(CodecError) in
            try Bitmap.copy(of: bytes, size: info.size, layout: PixelLayout(.bgra, .straight))
        }
    }

    /// The formats that it encodes: farbfeld.
    public var encodableFormats: [EncodedFormat] { [Self.format] }

    /// Writes each 8-bit channel twice, which maps 255 to 65,535.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headerSize + bitmap.size.area * 8)
        for side in [bitmap.width, bitmap.height] {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: side >> shift)) }
        }
        for channel in bitmap.bytes(in: PixelLayout(.rgba, .straight)) { bytes += [channel, channel] }
        return bytes
    }

    private func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8 {
        bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    private func number(_ bytes: RawSpan, _ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(byte(bytes, offset + $1)) }
    }
}
