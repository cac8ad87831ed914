public import AlcedoPixels

/// Windows icons and cursors: the largest image of a file, which is a bitmap or a PNG; a PNG is written.
public struct ICOCodec: ImageCodec {
    /// One image of the directory.
    private struct Entry {
        let start: Int
        let count: Int
        let pixels: Int
        let bitCount: Int

        init?(_ bytes: RawSpan, at position: Int) {
            guard let width = bytes.u8(position), let height = bytes.u8(position + 1),
                let bitCount = bytes.u16LE(position + 6), let count = bytes.u32LE(position + 8),
                let start = bytes.u32LE(position + 12)
            else { return nil }
            (self.start, self.count) = (start, count)
            // A byte has no room for 256, which is written as 0.
            pixels = (width == 0 ? 256 : width) * (height == 0 ? 256 : height)
            self.bitCount = bitCount
        }
    }

    /// Bytes of the directory before its entries.
    private static let directory = 6
    /// Bytes of an entry of the directory.
    private static let entrySize = 16

    public init() {}

    /// ICO if `bytes` start with the directory of an icon or a cursor and the first image follows the directory.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        guard bytes.u16LE(0) == 0, [1, 2].contains(bytes.u16LE(2)), let count = bytes.u16LE(4), count > 0,
            let first = Entry(bytes, at: Self.directory),
            first.start >= Self.directory + count * Self.entrySize
        else { return nil }
        // The length may be wrong, even 0.
        let isImage =
            first.count > 0 || BMPHeader.isHeader(bytes, at: first.start)
            || first.start < bytes.byteCount
                && PNGHeader.isSignature(bytes.extracting(droppingFirst: first.start))
        return isImage ? .ico : nil
    }

    /// Reads the directory, and the headers of its largest image.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let image = bytes.extracting(droppingFirst: try largest(bytes, limits))
        if PNGCodec().format(of: image) != nil {
            var info = try PNGCodec().info(of: image, limits: limits)
            (info.format, info.frameCount, info.loopCount) = (.ico, 1, 1)
            return info
        }
        var header = try BMPHeader(image, at: 0, of: .ico)
        header.size = try Self.size(of: header)
        try limits.check(stored: header.size, of: .ico)
        // Alpha replaces the mask.
        let needed =
            header.bitCount == 32
            ? header.neededBytes : header.stride * header.size.height + header.neededMaskBytes
        let isComplete = image.byteCount - header.end >= needed
        return ImageInfo(format: .ico, size: header.size, hasAlpha: true, isComplete: isComplete)
    }

    /// Whether a PNG lacks only its end.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        guard let start = try? largest(bytes, limits) else { return false }
        let image = bytes.extracting(droppingFirst: start)
        return PNGCodec().format(of: image) != nil && PNGCodec().hasAllPixels(image, limits: limits)
    }

    /// Decodes the largest image; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let image = bytes.extracting(droppingFirst: try largest(bytes, options.limits))
        if PNGCodec().format(of: image) != nil {
            return try PNGCodec().decode(image, options: options.inStandardColor)
        }
        let both = try BMPHeader(image, at: 0, of: .ico)
        let size = try Self.size(of: both)
        try options.limits.check(frame: size, of: .ico)
        var header = both
        header.size = size
        let colors = BMPColors(header, image, hasPlainAlpha: true)
        // Straight, because the mask is applied before premultiplying.
        let straight = DecodeOptions(keepsStraightAlpha: true, limits: options.limits)
        let bitmap = try BMPPixels(header, start: header.end, format: .ico)
            .decode(image, colors, straight, Deadline(options.limits))
        // Alpha replaces the mask.
        if Self.hasAlpha(image, header) { return try bitmap.converted(options) }
        return try bitmap.masked(image, header)
    }

    /// Whether a bitmap of 32 bits per pixel has an alpha other than 0.
    private static func hasAlpha(_ image: RawSpan, _ header: BMPHeader) -> Bool {
        guard header.bitCount == 32 else { return false }
        for index in 0..<header.size.area where image.u8(header.end + 4 * index + 3) != 0 { return true }
        return false
    }

    /// The start of the image with the most pixels, then with the most bits per pixel.
    ///
    /// A PNG and a bitmap have an end of their own. The length in the directory may be wrong.
    private func largest(_ bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> Int {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil, let count = bytes.u16LE(4) else { throw .unknownFormat }
        var best: Entry?
        for index in 0..<count {
            guard let entry = Entry(bytes, at: Self.directory + index * Self.entrySize) else { break }
            if let best, (best.pixels, best.bitCount) >= (entry.pixels, entry.bitCount) { continue }
            best = entry
        }
        guard let best, best.start < bytes.byteCount else { throw .truncated(.ico) }
        return best.start
    }

    /// The height in the header counts the image and its mask.
    private static func size(of header: BMPHeader) throws(CodecError) -> PixelSize {
        guard header.size.height % 2 == 0, !header.isTopDown, !header.isCompressed else {
            throw .corrupt(.ico, reason: "its bitmap has no mask")
        }
        return PixelSize(width: header.size.width, height: header.size.height / 2)
    }
}

extension Bitmap {
    /// Premultiplies straight pixels, unless the options keep them.
    fileprivate consuming func converted(_ options: DecodeOptions) throws(CodecError) -> Bitmap {
        if options.keepsStraightAlpha || alpha == .opaque { return self }
        let size = size
        return try editing(alpha: .premultiplied) { output in _ = PixelRows(output, size).premultiply() }
    }

    /// Clears the pixels whose bit in the mask is 1; its rows are bottom-up and padded to four bytes.
    fileprivate consuming func masked(_ bytes: RawSpan, _ header: BMPHeader) throws(CodecError) -> Bitmap {
        let (size, stride) = (size, header.maskStride)
        let start = header.end + header.stride * size.height
        guard bytes.byteCount - start >= header.neededMaskBytes else {
            // Pixels of 32 bits need no mask, and without one are opaque if their alpha is 0 everywhere.
            if header.bitCount == 32 { return self }
            throw .truncated(.ico)
        }
        let mask = bytes.copy(start..<start + header.neededMaskBytes)
        func isClear(_ column: Int, _ row: Int) -> Bool {
            mask[(size.height - 1 - row) * stride + column / 8] >> (7 - column % 8) & 1 == 1
        }
        let hasClear = (0..<size.height).contains { row in
            (0..<size.width).contains { isClear($0, row) }
        }
        guard hasClear else { return self }
        return try editing(alpha: .premultiplied) { output in
            let rows = PixelRows(output, size)
            for row in 0..<size.height {
                for column in 0..<size.width where isClear(column, row) {
                    rows.base[row * size.width + column] = 0
                }
            }
        }
    }
}

extension ICOCodec {
    /// Writes ICO, with one image.
    public var encodableFormats: [EncodedFormat] { [.ico] }

    /// Writes an icon of one image, a PNG in true colour, which programs read since Windows Vista; straight pixels are
    /// lossless.
    ///
    /// - Throws: ``CodecError/encodingFailed(_:reason:)`` for a side above 256 pixels.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .ico else { throw .unsupported(format, reason: "the ICO codec does not write it") }
        guard max(bitmap.width, bitmap.height) <= 256 else {
            throw .encodingFailed(
                .ico, reason: "it has \(bitmap.size) pixels, and a side can have 256; resize it")
        }
        // Readers of icons may take nothing but true colour.
        let png = try PNGCodec().encode(
            bitmap.standard(), PNGLayout(bitmap.alpha == .opaque ? .rgb : .rgba))
        // 256 is written as 0. After it: no palette, one plane, and bits per pixel.
        let bits: UInt8 = bitmap.alpha == .opaque ? 24 : 32
        let entry = [
            UInt8(truncatingIfNeeded: bitmap.width), UInt8(truncatingIfNeeded: bitmap.height), 0, 0, 1, 0,
            bits, 0,
        ]
        var file: [UInt8] = [0, 0, 1, 0, 1, 0] + entry
        for value in [png.count, file.count + 8] {
            withUnsafeBytes(of: UInt32(value).littleEndian) { file += $0 }
        }
        return file + png
    }
}
