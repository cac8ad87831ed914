public import AlcedoPixels
import CWebP

/// WebP through libwebp: lossy and lossless, with and without alpha, still and animated.
///
/// Pixels are those of libwebp's defaults: smooth chroma upsampling, no dithering. With
/// ``DecodeOptions/allowsTruncation``, the first rows of a still image suffice.
public struct WebPCodec: ImageCodec {
    public init() {}

    public func format(of bytes: RawSpan) -> EncodedFormat? {
        WebPHeader.isSignature(bytes) ? .webp : nil
    }

    /// Reads the chunk headers.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(try header(of: bytes, limits: limits))
    }

    /// Decodes; scales for ``DecodeOptions/atLeast`` unless the image is animated, or lossy with alpha.
    ///
    /// libwebp scales the colours and the alpha of a lossy image independently, so colours of transparent pixels would bleed.
    /// The result is opaque if all its pixels are.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try header(of: bytes, limits: options.limits)
        guard header.isComplete else {
            guard options.allowsTruncation else { throw .truncated(.webp) }
            let profile = profile(of: bytes, limits: options.limits)
            return try Self.decodeTruncated(bytes, header: header, profile: profile, options: options)
        }
        guard header.isAnimated else { return try decodeStill(bytes, header, options) }
        return try EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            guard let frame = try WebPFrames(bytes, header: header, options: options).next() else {
                throw .corrupt(.webp, reason: "it has no frames")
            }
            return frame.bitmap
        }
    }

    /// Keeps the bytes of an animation; decodes a still image immediately.
    public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder
    {
        let span = bytes.buffer.bytes
        let header = try header(of: span, limits: options.limits)
        guard header.isComplete else { throw .truncated(.webp) }
        if options.inBands, !header.isAnimated, !header.isLossless, header.hasAlpha {
            // The pixels, and libwebp's plane of alpha.
            try options.limits.check(reducing: header.size, in: header.size.area * 5)
            let bitmap = try bitmap(of: span, header, header.size, options.inStandardColor)
            return BitmapBands(bitmap, info: ImageInfo(header), limits: options.limits)
        }
        guard header.isAnimated else { return try FrameList(of: span, with: self, options: options) }
        try options.limits.check(frames: header.frameCount, of: header.size)
        return try WebPFrames(bytes, header: header, options: options)
    }

    /// Reads the chunk headers.
    public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        let header = try header(of: bytes, limits: limits)
        try limits.check(frames: header.frameCount, of: header.size)
        return header.durations.isEmpty ? [0] : header.durations.map { Double($0) / 1000 }
    }

    /// True: the complete rows of a still image.
    public var decodesTruncated: Bool { true }

    /// The pixels and libwebp's buffers: a lossless image, an alpha plane, two canvases of an animation.
    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        guard let header = try? WebPHeader(bytes) else { return DecodeMemory(result: info.size.area * 4) }
        let stored = header.size.area
        if header.isAnimated { return DecodeMemory(result: stored * 4, beside: stored * 12) }
        if options.inBands {
            return DecodeMemory(result: BitmapBands.byteCount(for: header.size), beside: stored * 5)
        }
        let area = Self.size(of: header, for: options.atLeast).area
        let buffers = header.isLossless ? stored * 4 : header.hasAlpha ? stored : 0
        if options.colorRetention.keepsColors, header.profile != nil {
            // Deep pixels are created from those of 8 bits, when libwebp's buffers are freed.
            return DecodeMemory(result: area * 8, beside: max(buffers - area * 4, area * 4))
        }
        return DecodeMemory(result: area * 4, beside: buffers)
    }

    /// Copies the profile from its chunk.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        guard let range = (try? WebPHeader(bytes))?.profile, range.count <= limits.metadataBytes else {
            return nil
        }
        return bytes.copy(range)
    }

    /// Writes WebP, lossy or lossless.
    public var encodableFormats: [EncodedFormat] { [.webp] }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> WebPHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try WebPHeader(bytes)
        if header.isAnimated {
            try limits.check(frame: header.size, of: .webp)
        } else {
            try limits.check(stored: header.size, of: .webp)
        }
        return header
    }
}

extension ImageInfo {
    init(_ header: WebPHeader) {
        self.init(
            format: .webp,
            size: header.size,
            orientation: header.orientation,
            frameCount: header.frameCount,
            loopCount: header.loopCount,
            hasAlpha: header.hasAlpha,
            isComplete: header.isComplete
        )
    }
}

// MARK: - Still images

extension WebPCodec {
    private func decodeStill(
        _ bytes: RawSpan,
        _ header: WebPHeader,
        _ options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        let size = Self.size(of: header, for: options.atLeast)
        try options.limits.check(frame: size, of: .webp)
        if header.isLossless, size != header.size {
            // libwebp keeps the whole image and scales it row by row.
            try options.limits.check(reducing: header.size, in: (header.size.area + size.area) * 4)
        }
        return try bitmap(of: bytes, header, size, options)
    }

    /// Decodes to `size` without a check of it.
    private func bitmap(
        of bytes: RawSpan,
        _ header: WebPHeader,
        _ wanted: PixelSize,
        _ options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        var size = wanted
        let deadline = Deadline(options.limits)
        try deadline.check()
        var pixels = try Self.pixels(of: bytes, header, size)
        if header.isLossless, !header.hasAlpha, size != header.size,
            !pixels.withUnsafeMutableBytes({ PixelRows($0, size).isOpaque })
        {
            // The file says that alpha is unused, but libwebp weighted colours with it. Decodes again at full size.
            size = header.size
            try options.limits.check(frame: size, of: .webp)
            pixels = try Self.pixels(of: bytes, header, size)
        }
        let profile = profile(of: bytes, limits: options.limits)
        let deep = DeepTarget(profile.map { .icc($0) }, layout: .bgra, isDeep: false, options: options)
        var conversion = options
        if deep != nil { conversion.keepsStraightAlpha = true }
        let converter = WebPRowConverter(
            profile: deep == nil ? profile : nil, hasAlpha: header.hasAlpha, isLossless: header.isLossless,
            options: conversion)
        // libwebp can't be interrupted, but takes at most 1 s for the most pixels that the limits allow.
        try deadline.check()
        pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            try converter(PixelRows(output, size), until: deadline)
        }
        let bitmap = pixels.freeze()
        guard let deep else { return bitmap }
        return try bitmap.widened(to: deep, options: options)
    }

    /// Decodes to libwebp's straight BGRA.
    private static func pixels(
        of bytes: RawSpan,
        _ header: WebPHeader,
        _ size: PixelSize
    ) throws(CodecError) -> PixelBuilder {
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            try bytes.withUnsafeBytes { input throws(CodecError) in
                try fill(output, from: input, header: header, size: size)
            }
        }
        return pixels
    }

    /// The decoded size of a still image.
    private static func size(of header: WebPHeader, for wanted: PixelSize?) -> PixelSize {
        header.isLossless || header.isScaledByRows ? scaled(header.size, for: wanted) : header.size
    }

    /// The smallest size of the same aspect ratio that covers `wanted`.
    private static func scaled(_ size: PixelSize, for wanted: PixelSize?) -> PixelSize {
        guard let wanted else { return size }
        let width = max(1, wanted.width)
        let height = max(1, wanted.height)
        guard width < size.width, height < size.height else { return size }
        // The side with the larger ratio decides; products of two sides of at most 2²⁴ do not overflow.
        if width * size.height >= height * size.width {
            return PixelSize(width: width, height: (size.height * width + size.width - 1) / size.width)
        }
        return PixelSize(width: (size.width * height + size.height - 1) / size.height, height: height)
    }

    private static func fill(
        _ output: UnsafeMutableRawBufferPointer,
        from input: UnsafeRawBufferPointer,
        header: WebPHeader,
        size: PixelSize
    ) throws(CodecError) {
        let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var config = try config(for: input, header, into: output, width: size.width)
        if size != header.size {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(size.width)
            config.options.scaled_height = Int32(size.height)
        }
        defer { WebPFreeDecBuffer(&config.output) }
        try check(WebPDecode(start, input.count, &config))
    }

    /// Settings for decoding to straight BGRA in `output`, in rows of `width` pixels.
    private static func config(
        for input: UnsafeRawBufferPointer,
        _ header: WebPHeader,
        into output: UnsafeMutableRawBufferPointer,
        width: Int
    ) throws(CodecError) -> WebPDecoderConfig {
        let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw .unsupported(.webp, reason: "libwebp has another ABI version than at build time")
        }
        try check(WebPGetFeatures(start, input.count, &config.input))
        guard config.input.width == header.size.width, config.input.height == header.size.height else {
            throw .corrupt(.webp, reason: "two headers disagree on the size")
        }
        config.output.colorspace = MODE_BGRA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        config.output.u.RGBA.stride = Int32(width * 4)
        config.output.u.RGBA.size = output.count
        return config
    }

    static func check(_ status: VP8StatusCode) throws(CodecError) {
        switch status {
        case VP8_STATUS_OK: return
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw .truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: throw .corrupt(.webp, reason: "out of memory")
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            throw .unsupported(.webp, reason: "libwebp does not support its bit stream")
        default: throw .corrupt(.webp, reason: "its bit stream is invalid")
        }
    }
}

extension WebPCodec {
    /// Encodes a still WebP; lossless encoding keeps straight pixels exactly, even where alpha is 0.
    ///
    /// Of a deep bitmap 8 bits are written, with an ICC profile for its colour space; PQ and HLG become sRGB.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .webp else { throw .unsupported(format, reason: "the WebP codec does not write it") }
        let (bitmap, own) = try bitmap.eightBits()
        let profile = own ?? options.profile
        let (quality, tuning) = (options.boundedQuality, options.tuning)
        var config = try WebPConfig(quality: quality, isLossless: options.isLossless, tuning)
        let keepsRGB = options.isLossless || tuning.usesSharpYUV
        var handle = try WebPPictureHandle(bitmap, isLossless: keepsRGB)
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            handle.picture.writer = { WebPMemoryWrite($0, $1, $2) }
            handle.picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &handle.picture) != 0
        }
        guard isEncoded else { throw handle.failure }
        let file = UnsafeBufferPointer(start: writer.mem, count: writer.size)
        guard let profile else { return [UInt8](file) }
        return try Self.adding(profile, to: file)
    }

    /// The file with the chunk of a profile.
    private static func adding(
        _ profile: [UInt8], to file: UnsafeBufferPointer<UInt8>
    ) throws(CodecError) -> [UInt8] {
        let failure = CodecError.encodingFailed(.webp, reason: "libwebp can't add the profile")
        var data = WebPData(bytes: file.baseAddress, size: file.count)
        guard let mux = WebPMuxCreate(&data, 0) else { throw failure }
        defer { WebPMuxDelete(mux) }
        let isAdded = profile.withUnsafeBufferPointer { profile in
            var chunk = WebPData(bytes: profile.baseAddress, size: profile.count)
            return WebPMuxSetChunk(mux, "ICCP", &chunk, 1) == WEBP_MUX_OK
        }
        var result = WebPData()
        defer { WebPDataClear(&result) }
        guard isAdded, WebPMuxAssemble(mux, &result) == WEBP_MUX_OK else { throw failure }
        return [UInt8](UnsafeBufferPointer(start: result.bytes, count: result.size))
    }
}

extension WebPCodec {
    /// Writes animated WebP, lossy or lossless.
    public var animationFormats: [EncodedFormat] { [.webp] }

    /// Encodes an animated WebP; durations are rounded to 1 ms, and more than 65,535 plays are 65,535.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .webp else { throw .unsupported(format, reason: "the WebP codec does not write it") }
        return try AnimatedWebP.encode(
            frames: frames, quality: options.isLossless ? nil : options.boundedQuality)
    }
}

extension WebPCodec {
    /// Decodes the first rows of a still image, at full size.
    static func decodeTruncated(
        _ bytes: RawSpan,
        header: WebPHeader,
        profile: [UInt8]?,
        options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        guard !header.isAnimated else { throw .truncated(.webp) }
        try options.limits.check(frame: header.size, of: .webp)
        let deadline = Deadline(options.limits)
        try deadline.check()
        var pixels = try PixelBuilder(size: header.size, alpha: .opaque)
        let rowCount = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            try bytes.withUnsafeBytes { input throws(CodecError) in
                try fillFirst(of: output, from: input, header: header)
            }
        }
        guard rowCount > 0 else { throw .truncated(.webp) }
        // Which chunk has the pixels is unknown while it is incomplete, and a lossless one has four channels.
        let converter = WebPRowConverter(
            profile: profile, hasAlpha: header.hasAlpha, isLossless: true, options: options)
        try deadline.check()
        pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            try converter(PixelRows(output, header.size).rows(0..<rowCount), until: deadline)
        }
        try pixels.clear(after: rowCount, of: .webp, options)
        return pixels.freeze()
    }

    /// Decodes to libwebp's straight BGRA; returns how many rows are complete.
    private static func fillFirst(
        of output: UnsafeMutableRawBufferPointer,
        from input: UnsafeRawBufferPointer,
        header: WebPHeader
    ) throws(CodecError) -> Int {
        let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var config = try config(for: input, header, into: output, width: header.size.width)
        // The decoder keeps a pointer to the configuration.
        let (status, rowCount) = withUnsafeMutablePointer(to: &config) { config in
            guard let decoder = WebPIDecode(nil, 0, config) else {
                return (VP8_STATUS_OUT_OF_MEMORY, Int32(0))
            }
            defer { WebPIDelete(decoder) }
            let status = WebPIUpdate(decoder, start, input.count)
            var rowCount: Int32 = 0
            _ = WebPIDecGetRGB(decoder, &rowCount, nil, nil, nil)
            return (status, rowCount)
        }
        if status != VP8_STATUS_SUSPENDED { try check(status) }
        return min(max(0, Int(rowCount)), header.size.height)
    }
}
