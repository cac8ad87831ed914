import AlcedoPixels

/// Decodes the rows of a still PNG in bands, for an image that is too large to be decoded whole.
///
/// Needs the memory of a band and of libspng's rows.
final class PNGBands: FrameDecoder {
    let info: ImageInfo

    private let bytes: EncodedBytes
    private let header: PNGHeader
    private let options: DecodeOptions
    private let converter: PNGRowConverter
    private var reader: PNGReader
    private var nextRow = 0
    private var failure: CodecError?

    /// Keeps `bytes`; `header` must have passed the limits, and its rows must not be interlaced.
    init(_ bytes: EncodedBytes, header: PNGHeader, options: DecodeOptions) throws(CodecError) {
        let memory = Self.memory(for: header)
        try options.limits.check(reducing: header.size, in: memory.result + memory.beside)
        let profile =
            header.encoding == nil
            ? PNGCodec.profile(of: bytes.buffer, header: header, limits: options.limits) : nil
        converter = PNGRowConverter(
            profile: profile, header: header, options: options)
        reader = try Self.reader(bytes, header, options)
        self.bytes = bytes
        self.header = header
        self.options = options
        info = ImageInfo(header)
    }

    private static func reader(
        _ bytes: EncodedBytes, _ header: PNGHeader, _ options: DecodeOptions
    ) throws(CodecError) -> PNGReader {
        let reader = try PNGReader(bytes.buffer, header: header, limits: options.limits)
        try reader.start(header)
        return reader
    }

    func next() throws(CodecError) -> AnimationFrame? {
        if let failure { throw failure }
        guard nextRow < header.size.height else { return nil }
        do throws(CodecError) {
            return AnimationFrame(bitmap: try readBand(), duration: 0)
        } catch {
            let error = header.isComplete || !error.isDamage ? error : .truncated(.png)
            failure = error
            throw error
        }
    }

    func rewind() {
        guard nextRow > 0 || failure != nil else { return }
        do throws(CodecError) {
            reader = try Self.reader(bytes, header, options)
            (nextRow, failure) = (0, nil)
        } catch {
            failure = error
        }
    }

    private func readBand() throws(CodecError) -> Bitmap {
        let height = min(BitmapBands.height(for: header.size, options.limits), header.size.height - nextRow)
        let size = PixelSize(width: header.size.width, height: height)
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            var isOpaque = true
            for index in 0..<height {
                let isRowOpaque = try converter.decode(
                    from: reader, into: rows.row(index), y: nextRow + index)
                isOpaque = isRowOpaque && isOpaque
            }
            return converter.alpha(isOpaque: isOpaque)
        }
        nextRow += height
        if nextRow == header.size.height { try reader.finish() }
        return pixels.freeze()
    }

    /// The bands that a reduction keeps, and libspng's rows; the whole image if it is interlaced.
    static func memory(for header: PNGHeader) -> DecodeMemory {
        let rows = header.size.width.multipliedReportingOverflow(by: 24)
        let all = header.isInterlaced ? header.size.area.multipliedReportingOverflow(by: 4) : rows
        return DecodeMemory(
            result: BitmapBands.byteCount(for: header.size),
            beside: all.overflow ? .max / 2 : all.partialValue)
    }
}

extension PNGCodec {
    /// The rows of a still image in bands; an interlaced image has to be decoded whole.
    func bands(
        of bytes: EncodedBytes, header: PNGHeader, options: DecodeOptions
    ) throws(CodecError) -> any FrameDecoder {
        guard header.isComplete || header.mayLackOnlyItsEnd else { throw .truncated(.png) }
        guard header.isInterlaced else { return try PNGBands(bytes, header: header, options: options) }
        try options.limits.check(reducing: header.size, in: PNGBands.memory(for: header).beside)
        do throws(CodecError) {
            let bitmap = try decodePixels(
                bytes.buffer.bytes, header: header, options: options.inStandardColor)
            return BitmapBands(bitmap, info: ImageInfo(header), limits: options.limits)
        } catch {
            throw header.isComplete || !error.isDamage ? error : .truncated(.png)
        }
    }

    /// Whether all bands of a still image decode in time.
    func hasAllBands(_ bytes: RawSpan, header: PNGHeader, options: DecodeOptions) -> Bool {
        let deadline = Deadline(options.limits)
        let isWhole = try? EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            let bands = try bands(of: bytes, header: header, options: options)
            while try bands.next() != nil { try deadline.check() }
            return true
        }
        return isWhole ?? false
    }
}
