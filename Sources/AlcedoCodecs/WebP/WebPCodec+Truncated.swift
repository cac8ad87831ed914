import AlcedoPixels
import CWebP

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
        config.output.u.RGBA.stride = Int32(header.size.width * 4)
        config.output.u.RGBA.size = output.count
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
