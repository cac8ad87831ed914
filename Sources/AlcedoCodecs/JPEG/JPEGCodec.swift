public import AlcedoPixels
import CJPEGShim

/// JPEG through libjpeg-turbo: baseline, progressive and arithmetic-coded, 8 bits a channel.
///
/// Pixels are those of libjpeg-turbo's defaults (accurate integer DCT, smooth chroma upsampling).
/// Four-channel files are taken to be inverted, as Adobe writes them and browsers read them, and converted to
/// RGB with their profile or, without one, by multiplying each ink with black.
/// Data that ends early, even by its end marker alone, is ``CodecError/truncated(_:)``; other damage that
/// libjpeg can decode around shows as it does in a browser.
public struct JPEGCodec: ImageCodec {
    /// Makes the codec.
    public init() {}

    /// JPEG if `bytes` begin with its first two markers.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        JPEGHeader.isSignature(bytes) ? .jpeg : nil
    }

    /// Walks the markers before the first scan, then looks for the end marker from the end.
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
        let header = try header(of: bytes, limits: options.limits)
        try Self.checkSupport(header)
        let scale = Self.scale(header.size, for: options.atLeast)
        var pixels = try PixelBuilder(size: Self.scaled(header.size, by: scale), alpha: .opaque)
        try Self.fill(&pixels, from: bytes, header: header, scale: scale, limits: options.limits)
        let profile = header.profile(in: bytes, limit: options.limits.metadataBytes)
        Self.convert(&pixels, components: header.components, profile: profile)
        return pixels.freeze()
    }

    /// One frame.
    public func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        try StillFrames(of: bytes, with: self, options: options)
    }

    /// Puts the profile's pieces together; nil if one is missing.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        (try? JPEGHeader(bytes))?.profile(in: bytes, limit: limits.metadataBytes)
    }

    /// JPEG.
    public var encodableFormats: [EncodedFormat] { [.jpeg] }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> JPEGHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try JPEGHeader(bytes)
        try limits.check(frame: header.size, of: .jpeg)
        return header
    }

    private static func checkSupport(_ header: JPEGHeader) throws(CodecError) {
        guard header.precision == 8 else {
            throw .unsupported(.jpeg, reason: "\(header.precision) bits a channel")
        }
        guard header.coding != .other else {
            throw .unsupported(.jpeg, reason: "lossless or hierarchical coding")
        }
        guard [1, 3, 4].contains(header.components) else {
            throw .unsupported(.jpeg, reason: "\(header.components) channels")
        }
    }
}

// MARK: - Decoding

extension JPEGCodec {
    /// The fewest eighths of `size` that still cover `wanted`.
    ///
    /// Never seven: that takes twice as long as all eight, which have a faster transform.
    private static func scale(_ size: PixelSize, for wanted: PixelSize?) -> Int {
        guard let wanted else { return 8 }
        return (1..<7).first {
            let scaled = scaled(size, by: $0)
            return scaled.width >= wanted.width && scaled.height >= wanted.height
        } ?? 8
    }

    /// libjpeg's own rounding.
    private static func scaled(_ size: PixelSize, by eighths: Int) -> PixelSize {
        PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
    }

    private static func fill(
        _ pixels: inout PixelBuilder,
        from bytes: RawSpan,
        header: JPEGHeader,
        scale: Int,
        limits: DecodeLimits
    ) throws(CodecError) {
        // Two bytes a coefficient, padded to whole blocks of at most 32 × 32 pixels.
        let padded = PixelSize(width: header.size.width + 31, height: header.size.height + 31)
        var decoding = alcedo_jpeg_decoding(
            scale: Int32(scale),
            output_width: UInt32(pixels.size.width),
            output_height: UInt32(pixels.size.height),
            as_cmyk: header.components == 4 ? 1 : 0,
            scan_limit: Int32(clamping: limits.progressiveScans),
            memory_limit: padded.area * 2 * header.components + (16 << 20)
        )
        var message = JPEGMessage()
        let status = pixels.withUnsafeMutableBytes { output in
            bytes.withUnsafeBytes { input in
                message.withBuffer { text in
                    alcedo_jpeg_decode(
                        input.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        input.count,
                        &decoding,
                        output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        text
                    )
                }
            }
        }
        switch status {
        case ALCEDO_JPEG_OK: return
        case ALCEDO_JPEG_TRUNCATED: throw .truncated(.jpeg)
        case ALCEDO_JPEG_UNSUPPORTED: throw .unsupported(.jpeg, reason: message.text)
        case ALCEDO_JPEG_TOO_MANY_SCANS:
            let limit = limits.progressiveScans
            throw .limitExceeded(.progressiveScans, value: limit + 1, limit: limit)
        default: throw .corrupt(.jpeg, reason: message.text)
        }
    }

    private static func convert(_ pixels: inout PixelBuilder, components: Int, profile: [UInt8]?) {
        let layout: ColorLayout =
            switch components {
            case 1: .grey
            case 4: .invertedCMYK
            default: .bgra
            }
        let transform = profile.flatMap { ColorTransform.toSRGB(from: $0, layout: layout) }
        guard transform != nil || components == 4 else { return }
        let size = pixels.size
        pixels.withUnsafeMutableBytes { buffer in
            let rows = PixelRows(buffer, size)
            transform?.apply(to: rows)
            if components == 4 {
                // Both leave the fourth byte, black, where alpha has to be.
                transform == nil ? rows.multiplyByBlack() : rows.makeOpaque()
            }
        }
    }
}
