public import AlcedoPixels

/// Windows icons and cursors: the largest image of a file, which is a bitmap or a PNG; a PNG is written.
public struct ICOCodec: ImageCodec {
    /// One image of the directory.
    private struct Entry {
        let range: Range<Int>
        let pixels: Int
        let bitCount: Int

        init?(_ bytes: RawSpan, at position: Int) {
            guard let width = bytes.u8(position), let height = bytes.u8(position + 1),
                let bitCount = bytes.u16LE(position + 6), let count = bytes.u32LE(position + 8),
                let start = bytes.u32LE(position + 12)
            else { return nil }
            range = start..<start + count
            pixels = (width == 0 ? 256 : width) * (height == 0 ? 256 : height)
            self.bitCount = bitCount
        }
    }

    private static let directory = 6
    private static let entrySize = 16

    /// Creates the codec.
    public init() {}

    /// ICO if `bytes` start with the directory of an icon or a cursor and the first image follows the directory.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        guard bytes.u16LE(0) == 0, [1, 2].contains(bytes.u16LE(2)), let count = bytes.u16LE(4), count > 0,
            let first = Entry(bytes, at: Self.directory),
            first.range.lowerBound >= Self.directory + count * Self.entrySize, !first.range.isEmpty
        else { return nil }
        return .ico
    }

    /// Reads the directory, and the headers of its largest image.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let range = try largest(bytes, limits)
        let isComplete = range.upperBound <= bytes.byteCount
        let image = bytes.extracting(range.clamped(to: 0..<bytes.byteCount))
        if PNGCodec().format(of: image) != nil {
            var info = try PNGCodec().info(of: image, limits: limits)
            (info.format, info.frameCount, info.loopCount) = (.ico, 1, 1)
            return info
        }
        let size = try Self.size(of: BMPHeader(image, at: 0, of: .ico))
        try limits.check(stored: size, of: .ico)
        return ImageInfo(format: .ico, size: size, hasAlpha: true, isComplete: isComplete)
    }

    /// Decodes the largest image; ``DecodeOptions/atLeast`` has no effect.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let range = try largest(bytes, options.limits)
        let image = bytes.extracting(range.clamped(to: 0..<bytes.byteCount))
        if PNGCodec().format(of: image) != nil { return try PNGCodec().decode(image, options: options) }
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
        return try bitmap.masked(image, at: header.end + header.stride * size.height)
    }

    /// Whether a bitmap of 32 bits per pixel has an alpha other than 0.
    private static func hasAlpha(_ image: RawSpan, _ header: BMPHeader) -> Bool {
        guard header.bitCount == 32 else { return false }
        for index in 0..<header.size.area where image.u8(header.end + 4 * index + 3) != 0 { return true }
        return false
    }

    /// The bytes of the image with the most pixels, then with the most bits per pixel.
    private func largest(_ bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> Range<Int> {
        try limits.check(encodedBytes: bytes.byteCount)
        guard format(of: bytes) != nil, let count = bytes.u16LE(4) else { throw .unknownFormat }
        var best: Entry?
        for index in 0..<count {
            guard let entry = Entry(bytes, at: Self.directory + index * Self.entrySize) else { break }
            if let best, (best.pixels, best.bitCount) >= (entry.pixels, entry.bitCount) { continue }
            best = entry
        }
        guard let best, best.range.lowerBound < bytes.byteCount else { throw .truncated(.ico) }
        return best.range
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
    fileprivate consuming func masked(_ bytes: RawSpan, at start: Int) throws(CodecError) -> Bitmap {
        let (size, stride) = (size, (size.width + 31) / 32 * 4)
        guard bytes.byteCount - start >= stride * size.height else { throw .truncated(.ico) }
        let mask = bytes.copy(start..<start + stride * size.height)
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
