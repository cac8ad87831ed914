public import AlcedoPixels
import CJPEGShim
import Glibc

/// JPEG through libjpeg-turbo: baseline, progressive and arithmetic-coded, 8 bits a channel.
///
/// Pixels are those of libjpeg-turbo's defaults (accurate integer DCT, smooth chroma upsampling); `ReducedJPEG` decodes
/// common files at an eighth or a quarter. Four-channel files count as inverted, as Adobe writes them, and are converted to
/// RGB with their profile, or without one by multiplying each ink with black.
///
/// Data that ends before its last coefficient fails with ``CodecError/truncated(_:)``. The end marker may be missing, and the
/// last bits of a segment with a marker; other corruption that libjpeg decodes around is shown as in a browser. With
/// ``DecodeOptions/allowsTruncation``, a file of one scan has its first rows, and one of several its first scans.
public struct JPEGCodec: ImageCodec {
    /// The sizes below the full size that images are decoded to, in eighths.
    package static let eighths = [1, 2, 4, 5, 6]

    /// Those that an image of `size` is decoded to.
    ///
    /// One, two, four and eight have fast transforms: three take longer than four, and five to seven longer than eight. Large
    /// images are still decoded at five or six eighths, to save memory.
    package static func eighths(of size: PixelSize) -> ArraySlice<Int> {
        eighths.prefix { size.area > 4_000_000 || $0 <= 4 }
    }

    public init() {}

    /// JPEG if `bytes` start with its first two markers.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        JPEGHeader.isSignature(bytes) ? .jpeg : nil
    }

    /// Reads the marker segments before the first scan, then searches backwards for the end marker.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let header = try header(of: bytes, limits: limits)
        return ImageInfo(
            format: .jpeg,
            size: header.size,
            orientation: header.orientation,
            isComplete: header.isComplete
        )
    }

    /// Decodes; scales by eighths in the DCT for ``DecodeOptions/atLeast``.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let deadline = Deadline(options.limits, stop: options.stop)
        let header = try header(of: bytes, limits: options.limits)
        if options.colorRetention == .hdr, !options.allowsTruncation, options.region == nil,
            let picture = try brightened(bytes, header, options, until: deadline)
        {
            return picture
        }
        return try decode(bytes, header, options, until: deadline)
    }

    private func decode(
        _ bytes: RawSpan, _ header: JPEGHeader, _ options: DecodeOptions, until deadline: Deadline
    ) throws(CodecError) -> Bitmap {
        let plan = try JPEGPlan(header, in: bytes, options: options)
        // `decoding` has an unretained pointer to the deadline's `stop`.
        defer { withExtendedLifetime(deadline) {} }
        var decoding = plan.decoding(until: deadline)
        return try plan.bitmap(deadline: deadline) { output, text, rowCount in
            bytes.withUnsafeBytes { input in
                if !options.allowsTruncation, plan.decodeReduced(input, to: output, until: deadline) {
                    return ALCEDO_JPEG_OK
                }
                let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                func attempt() -> alcedo_jpeg_status {
                    guard var region = plan.region else {
                        return alcedo_jpeg_decode(start, input.count, &decoding, output, &rowCount, text)
                    }
                    return alcedo_jpeg_decode_region(
                        start, input.count, &decoding, &region, output, text)
                }
                let status = attempt()
                // libjpeg does not tell whether only the last MCU of a segment lacks bits: another pass does.
                guard status == ALCEDO_JPEG_TRUNCATED, plan.hasAllMCUs(input, until: deadline) else {
                    return status
                }
                decoding.allows_early_ends = 1
                return attempt()
            }
        }
    }

    /// True: the first rows, or the complete scans of a progressive JPEG.
    public var decodesTruncated: Bool { true }

    /// Decodes the image to an eighth.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        let options = DecodeOptions {
            $0.atLeast = PixelSize(width: 1, height: 1)
            $0.limits = limits
        }
        return (try? decode(bytes, options: options)) != nil
    }

    /// The pixels, and the coefficients of an image with several scans; deep pixels are created from those of 8 bits.
    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        guard let header = try? JPEGHeader(bytes) else { return DecodeMemory(result: info.size.area * 4) }
        let area = JPEGPlan.size(of: header, options: options).area
        let coefficients = header.hasSeveralScans ? header.coefficientBytes : 0
        if options.colorRetention == .hdr, let map = JPEGGainMap(bytes, header, options.limits) {
            // The pixels in the file's colours, those of the map, deep and before that in 8 bits, and tables.
            let beside = coefficients + area * 8 + map.size.area * 12 + map.coefficientBytes + 2 << 20
            return DecodeMemory(result: area * 8, beside: beside)
        }
        if options.colorRetention.keepsColors, header.mayHaveRGBProfile {
            return DecodeMemory(result: area * 8, beside: max(coefficients - area * 4, area * 4))
        }
        return DecodeMemory(result: area * 4, beside: coefficients)
    }

    /// Concatenates the chunks of the profile; nil if one is missing.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        (try? JPEGHeader(bytes))?.profile(in: bytes, limit: limits.metadataBytes)
    }

    /// Writes JPEG; it has no alpha.
    public var encodableFormats: [EncodedFormat] { [.jpeg] }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> JPEGHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try JPEGHeader(bytes)
        try limits.check(stored: header.size, of: .jpeg)
        return header
    }
}

extension JPEGCodec {
    /// Encodes a JPEG; a bitmap with alpha is composited over white.
    ///
    /// Qualities of at least 0.95 use 4:4:4 chroma subsampling, lower ones 4:2:0. Up to 2²³ pixels, and in every
    /// progressive file, the Huffman tables are made for the picture. Of a deep bitmap 8 bits are written, with an ICC
    /// profile for its colour space; PQ and HLG become sRGB.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .jpeg else { throw .unsupported(format, reason: "the JPEG codec does not write it") }
        // libjpeg's JPEG_MAX_DIMENSION; the format has 16 bits for each side.
        guard bitmap.width <= 65500, bitmap.height <= 65500 else {
            throw .encodingFailed(.jpeg, reason: "\(bitmap.size) is over 65500 pixels a side")
        }
        let (bitmap, own) = try bitmap.eightBits()
        let file = try Self.encode(bitmap, options)
        guard let profile = own ?? options.profile else { return file }
        return try Self.adding(profile, to: file)
    }

    private static func encode(_ bitmap: Bitmap, _ options: EncodeOptions) throws(CodecError) -> [UInt8] {
        let quality = options.boundedQuality
        var encoding = alcedo_jpeg_encoding(
            width: UInt32(bitmap.width),
            height: UInt32(bitmap.height),
            alpha: bitmap.alpha.forJPEG,
            quality: Int32(max(1, (quality * 100).rounded())),
            halves_chroma: options.tuning.chroma.isHalved(by: quality < 0.95) ? 1 : 0,
            progressive: options.isProgressive ? 1 : 0,
            optimized: options.effort == .quick ? 0 : 1
        )
        var message = JPEGMessage()
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = bitmap.withUnsafeBytes { pixels in
            message.withBuffer { text in
                alcedo_jpeg_encode(
                    pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &encoding,
                    &written,
                    &count,
                    text
                )
            }
        }
        guard status == ALCEDO_JPEG_OK else { throw .encodingFailed(.jpeg, reason: message.text) }
        defer { free(written) }
        return [UInt8](UnsafeBufferPointer(start: written, count: count))
    }

    /// The file with the segments of a profile (ICC.1:2022, B.4) after that of JFIF.
    static func adding(_ profile: [UInt8], to file: [UInt8]) throws(CodecError) -> [UInt8] {
        let hasJFIF = file.count > 6 && file[2] == 0xFF && file[3] == 0xE0
        let place = hasJFIF ? 4 + (Int(file[4]) << 8 | Int(file[5])) : 2
        // A segment's length, up to 65,535, counts itself, and the name and the two numbers of the piece.
        let pieceCount = 65_535 - 16
        let count = (profile.count + pieceCount - 1) / pieceCount
        // A piece's number is one byte.
        guard count <= 255 else {
            throw .encodingFailed(
                .jpeg, reason: "its profile has \(profile.count) bytes, and fits up to \(255 * pieceCount)")
        }
        var segments: [UInt8] = []
        for index in 0..<count {
            let piece = profile[index * pieceCount..<min((index + 1) * pieceCount, profile.count)]
            let length = piece.count + 16
            segments += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
            segments += Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)] + piece
        }
        return file.inserting(segments, at: place)
    }
}

extension JPEGCodec {
    /// The picture with the light of its gain map; nil if it has none that can be applied.
    private func brightened(
        _ bytes: RawSpan, _ header: JPEGHeader, _ options: DecodeOptions, until deadline: Deadline
    ) throws(CodecError) -> Bitmap? {
        guard let map = JPEGGainMap(bytes, header, options.limits) else { return nil }
        var plain = options
        plain.colorRetention = .full
        // The profile does not leave this process, so that it may be used in one that a worker is required for.
        if plain.sandbox == .required { plain.sandbox = .preferred }
        var ofMap = plain.inStandardColor
        ofMap.atLeast = nil
        // Without a profile, as samples of a map are no colours.
        let file = GainMapFile(map, in: bytes).jpeg
        let samples: Bitmap
        do throws(CodecError) {
            samples = try decode(file.span.bytes, JPEGHeader(file.span.bytes), ofMap, until: deadline)
        } catch .timeLimitExceeded(let seconds) {
            throw .timeLimitExceeded(seconds: seconds)
        } catch { return nil }
        let base = try decode(bytes, header, plain, until: deadline).deepened()
        guard let light = BrightenedPicture(base.colorSpace, map.parameters) else { return nil }
        return try light.bitmap(
            of: base, extent: JPEGPlan.extent(of: base.size, header), map: samples, until: deadline)
    }
}

extension Bitmap.Alpha {
    fileprivate var forJPEG: alcedo_jpeg_alpha {
        switch self {
        case .opaque: ALCEDO_JPEG_OPAQUE
        case .premultiplied: ALCEDO_JPEG_PREMULTIPLIED
        case .straight: ALCEDO_JPEG_STRAIGHT
        }
    }
}

extension JPEGCodec: ColorDescribing {
    package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
        (try? JPEGHeader(bytes)).map { StoredColors(bits: $0.precision, isCMYK: $0.components == 4) }
    }
}

extension JPEGCodec {
    /// The bytes of a photograph's EXIF thumbnail, a JPEG; nil if there is none that shows the photograph.
    ///
    /// Reads headers, up to the photograph's frame header. The thumbnail must be of the same shape, to within a pixel, as
    /// cameras pad some with black bars, and at most a quarter as wide. It is turned like the photograph.
    package static func thumbnail(in bytes: RawSpan) -> Range<Int>? {
        guard let photograph = try? JPEGHeader(bytes), let range = photograph.thumbnail,
            let thumbnail = try? JPEGHeader(bytes.extracting(range)), !thumbnail.size.isEmpty
        else { return nil }
        let (small, large) = (thumbnail.size, photograph.size)
        let deviation = abs(small.height * large.width - small.width * large.height)
        guard small.width * 4 <= large.width, deviation <= max(large.width, large.height) else { return nil }
        return range
    }
}

extension JPEGCodec: BlockTransforming {
    /// Moves the coefficients, in ``memory(of:by:)`` bytes.
    package func transformed(
        _ bytes: RawSpan, by transform: BlockTransform, limits: DecodeLimits
    ) throws(CodecError) -> [UInt8] {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try JPEGHeader(bytes)
        try JPEGPlan.checkSupport(header)
        try limits.check(frame: header.size, of: .jpeg)
        let blocks = try JPEGBlocks(header, transform)
        let axes = transform.turn.axes
        let deadline = Deadline(limits)
        var how = alcedo_jpeg_transform(
            source_width: UInt32(header.size.width), source_height: UInt32(header.size.height),
            swaps: axes.swaps ? 1 : 0, flips_x: axes.flipsX ? 1 : 0, flips_y: axes.flipsY ? 1 : 0,
            x: UInt32(blocks.start.column), y: UInt32(blocks.start.row),
            width: UInt32(blocks.region.width), height: UInt32(blocks.region.height),
            scan_limit: Int32(clamping: limits.progressiveScans), memory_limit: header.memoryLimit,
            deadline: deadline.nanoseconds, allows_early_ends: 0)
        var message = JPEGMessage()
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = bytes.withUnsafeBytes { input in
            let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return message.withBuffer { text in
                let status = alcedo_jpeg_turn(start, input.count, &how, &written, &count, text)
                guard status == ALCEDO_JPEG_TRUNCATED,
                    JPEGPlan.hasAllMCUs(input, header, until: deadline)
                else { return status }
                how.allows_early_ends = 1
                return alcedo_jpeg_turn(start, input.count, &how, &written, &count, text)
            }
        }
        if let error = JPEGPlan.error(status, message, limits, deadline) { throw error }
        defer { free(written) }
        let file = [UInt8](UnsafeBufferPointer(start: written, count: count))
        guard let profile = header.profile(in: bytes, limit: .max) else { return file }
        return try Self.adding(profile, to: file)
    }

    /// The bytes of the coefficients of both pictures: for each pixel up to 12, and 16 with four colours; read from headers.
    package static func memory(
        of bytes: RawSpan, by transform: BlockTransform
    ) throws(CodecError) -> Int {
        let header = try JPEGHeader(bytes)
        let region = try JPEGBlocks(header, transform).region
        let share = Double(region.width * region.height) / Double(header.size.area)
        return header.coefficientBytes + Int(Double(header.coefficientBytes) * share)
    }

    /// The part of the turned picture that a transform keeps; read from headers.
    package static func region(
        of bytes: RawSpan, by transform: BlockTransform
    ) throws(CodecError) -> PixelFrame {
        try JPEGBlocks(JPEGHeader(bytes), transform).region
    }
}
