public import AlcedoPixels

/// BMP: 1 to 32 bits per pixel, run lengths, bit fields and alpha; 24 or 32 bits are written.
///
/// All pixels that a run-length file skips are transparent. Alpha that is 0 everywhere is ignored, as browsers do.
/// Colour profiles of version 5 headers are ignored, and so are the file's size and what follows the pixels. Embedded
/// JPEG and PNG are not supported.
public struct BMPCodec: ImageCodec {
    /// Bytes of BITMAPFILEHEADER.
    private static let fileHeader = 14

    public init() {}

    /// BMP if `bytes` start with its signature and a header of a known size.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        bytes.has("BM", at: 0) && BMPHeader.isHeader(bytes, at: Self.fileHeader) ? .bmp : nil
    }

    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let (header, pixels) = try self.header(of: bytes, limits: limits)
        let count = header.isCompressed ? header.pixelBytes : header.neededBytes
        return ImageInfo(
            format: .bmp, size: header.size, hasAlpha: header.isCompressed || header.masks[3] != 0,
            isComplete: count <= bytes.byteCount - pixels)
    }

    /// Whether all run lengths are there, even if the header specifies more bytes.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        guard let (header, _) = try? header(of: bytes, limits: limits), header.isCompressed else {
            return false
        }
        return (try? decode(bytes, options: DecodeOptions(limits: limits))) != nil
    }

    /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let (header, start) = try self.header(of: bytes, limits: options.limits)
        try options.limits.check(frame: header.size, of: .bmp)
        let deadline = Deadline(options.limits)
        let colors = BMPColors(header, bytes)
        guard header.isCompressed else {
            return try BMPPixels(header, start: start, format: .bmp)
                .decode(bytes, colors, options, deadline)
        }
        var pixels = try PixelBuilder(size: header.size, alpha: .opaque)
        let alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, header.size)
            rows.base.update(repeating: 0, count: header.size.area)
            try BMPRunLengths(header, colors.palette).decode(bytes, from: start, to: rows, deadline)
            // Pixels are opaque or 0, which is premultiplied already.
            return rows.isOpaque ? Bitmap.Alpha.opaque : .premultiplied
        }
        pixels.alpha = alpha
        return pixels.freeze()
    }

    private func header(
        of bytes: RawSpan, limits: DecodeLimits
    ) throws(CodecError) -> (header: BMPHeader, pixels: Int) {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil else { throw .unknownFormat }
        let header = try BMPHeader(bytes, at: Self.fileHeader, of: .bmp)
        try limits.check(stored: header.size, of: .bmp)
        guard let start = bytes.u32LE(10), start >= Self.fileHeader else {
            throw .corrupt(.bmp, reason: "its pixels start inside its header")
        }
        return (header, start)
    }
}

/// The uncompressed pixels of a bitmap.
struct BMPPixels {
    private let header: BMPHeader
    private let start: Int
    private let format: EncodedFormat

    init(_ header: BMPHeader, start: Int, format: EncodedFormat) {
        (self.header, self.start, self.format) = (header, start, format)
    }

    func decode(
        _ bytes: RawSpan, _ colors: BMPColors, _ options: DecodeOptions, _ deadline: Deadline
    ) throws(CodecError) -> Bitmap {
        let size = header.size
        guard bytes.byteCount - start >= header.neededBytes else { throw .truncated(format) }
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        let alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            for index in 0..<size.height {
                if index % Deadline.rows(of: size.width) == 0 { try deadline.check() }
                let position = start + (header.isTopDown ? index : size.height - 1 - index) * header.stride
                let row = bytes.extracting(position..<min(position + header.stride, bytes.byteCount))
                colors.convert(row, to: rows.row(index).base, count: size.width)
            }
            return colors.hasAlpha ? rows.finishStraight(options) : .opaque
        }
        pixels.alpha = alpha
        return pixels.freeze()
    }
}

extension PixelRows {
    /// Premultiplies straight pixels unless the options keep them; alpha that is 0 everywhere becomes opaque.
    func finishStraight(_ options: DecodeOptions) -> Bitmap.Alpha {
        if !(0..<size.area).contains(where: { base[$0] >= 1 << 24 }) { makeOpaque() }
        if isOpaque { return .opaque }
        if options.keepsStraightAlpha { return .straight }
        return premultiply() ? .opaque : .premultiplied
    }
}

extension BMPCodec {
    /// Writes BMP, uncompressed.
    public var encodableFormats: [EncodedFormat] { [.bmp] }

    /// Writes 24 bits per pixel if `bitmap` is opaque, else 32 bits with straight alpha.
    ///
    /// Straight pixels are lossless. Alpha that is 0 everywhere is ignored by browsers and by this codec.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .bmp else { throw .unsupported(format, reason: "the BMP codec does not write it") }
        let isOpaque = bitmap.alpha == .opaque
        let stride = isOpaque ? (bitmap.width * 3 + 3) / 4 * 4 : bitmap.bytesPerRow
        let headers = Self.headers(bitmap.size, isOpaque: isOpaque, stride: stride)
        let count = headers.count + stride * bitmap.height
        guard count <= Int(Int32.max) else {
            throw .encodingFailed(.bmp, reason: "\(bitmap.size) pixels take \(count) bytes, more than 2 GiB")
        }
        var file = [UInt8](repeating: 0, count: count)
        file.replaceSubrange(0..<headers.count, with: headers)
        let straight = isOpaque ? [] : bitmap.bytes(in: PixelLayout(.bgra, .straight))
        for y in 0..<bitmap.height {
            // The bottom row comes first.
            let (source, target) = (y * bitmap.bytesPerRow, count - (y + 1) * stride)
            if !isOpaque {
                let row = straight[source..<source + bitmap.bytesPerRow]
                file.replaceSubrange(target..<target + stride, with: row)
                continue
            }
            bitmap.withUnsafeBytes { pixels in
                for x in 0..<bitmap.width {
                    for channel in 0..<3 {
                        file[target + x * 3 + channel] = pixels[source + x * 4 + channel]
                    }
                }
            }
        }
        return file
    }

    /// The file header, and a BITMAPINFOHEADER, or a BITMAPV4HEADER for alpha.
    private static func headers(_ size: PixelSize, isOpaque: Bool, stride: Int) -> [UInt8] {
        let (headerSize, pixelBytes) = (isOpaque ? 40 : 108, stride * size.height)
        let start = 14 + headerSize
        var bytes = Array("BM".utf8)
        func append(_ values: Int...) {
            for value in values {
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { bytes += $0 }
            }
        }
        append(start + pixelBytes, 0, start)
        // One plane in the low half. Uncompressed is 0, with masks it is 3.
        append(headerSize, size.width, size.height, 1 | (isOpaque ? 24 : 32) << 16, isOpaque ? 0 : 3)
        append(pixelBytes, pixelsPerMetre, pixelsPerMetre, 0, 0)
        guard !isOpaque else { return bytes }
        append(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000, sRGB)
        return bytes + [UInt8](repeating: 0, count: start - bytes.count)
    }

    /// 72 pixels per inch.
    private static let pixelsPerMetre = 2835

    /// `LCS_sRGB` of Windows: the characters “sRGB”.
    private static let sRGB = 0x7352_4742
}
