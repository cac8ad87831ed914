public import AlcedoPixels

/// GIF, still and animated; encoded with giflib.
///
/// Composes as browsers do: the canvas has the size of the screen, or more where the first frame exceeds it, and is
/// transparent at first. "Restore to background" clears, later frames are clipped, and the trailer may be missing. A
/// loop count of n means n repeats after the first play; at most 65,536 plays are written.
public struct GIFCodec: ImageCodec {
    public init() {}

    /// GIF if `bytes` start with a GIF signature.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        GIFHeader.isSignature(bytes) ? .gif : nil
    }

    /// Reads the blocks without decoding pixels.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(try header(of: bytes, limits: limits))
    }

    /// Composes the first frame, at full size.
    ///
    /// A still image that is too large for that has bands, see ``frames(of:options:)``.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try completeHeader(of: bytes, options: options)
        try options.limits.check(frame: header.size, of: .gif)
        return try EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            guard let frame = try GIFFrames(bytes, info: ImageInfo(header), options: options).next() else {
                throw .corrupt(.gif, reason: "it has no frames")
            }
            return frame.bitmap
        }
    }

    /// The pixels, and a palette index per pixel.
    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        let canvas = options.inBands ? BitmapBands.byteCount(for: info.size) : info.size.area * 4
        return DecodeMemory(result: canvas, beside: info.size.area)
    }

    /// Starts decoding; keeps `bytes` until the last frame.
    ///
    /// The bands of a still image need a byte for each pixel.
    public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder
    {
        let header = try completeHeader(of: bytes.buffer.bytes, options: options)
        if options.inBands, header.frameCount == 1 {
            return try GIFBands(bytes, info: ImageInfo(header), options: options)
        }
        try options.limits.check(frame: header.size, of: .gif)
        try options.limits.check(frames: header.frameCount, of: header.size)
        return try GIFFrames(bytes, info: ImageInfo(header), options: options)
    }

    /// Reads the blocks without decoding pixels.
    public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        let header = try header(of: bytes, limits: limits)
        try limits.check(frames: header.frameCount, of: header.size)
        return header.delays.map { Double($0) / 100 }
    }

    /// Nil: colours of a GIF are sRGB.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }

    /// Writes GIF, of at most 256 colours.
    public var encodableFormats: [EncodedFormat] { [.gif] }

    /// Writes animated GIF, of at most 256 colours a frame.
    public var animationFormats: [EncodedFormat] { [.gif] }

    /// Encodes a still GIF of at most 256 colours; pixels with alpha below 128 become transparent.
    ///
    /// More colours are quantised, and dithered unless ``EncodeOptions/isDithered`` is false.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        let info = ImageInfo(format: .gif, size: bitmap.size)
        let frame = FrameList([AnimationFrame(bitmap: bitmap, duration: 0)], info: info)
        return try encode(frames: frame, as: format, options: options)
    }

    /// Encodes an animated GIF with a palette per frame; a frame contains only the rectangle that changes.
    ///
    /// Durations are rounded to 10 ms without accumulating errors.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .gif else { throw .unsupported(format, reason: "the GIF codec does not write it") }
        return try GIFEncoder(frames.info.size, options: options)
            .encode(frames)
    }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> GIFHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try GIFHeader(bytes)
        // A still image that is too large to be decoded whole has bands.
        if header.frameCount == 1 {
            try limits.check(stored: header.size, of: .gif)
        } else {
            try limits.check(frame: header.size, of: .gif)
        }
        return header
    }

    private func completeHeader(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> GIFHeader {
        let header = try header(of: bytes, limits: options.limits)
        guard header.isComplete else { throw .truncated(.gif) }
        return header
    }
}

extension ImageInfo {
    fileprivate init(_ header: GIFHeader) {
        self.init(
            format: .gif,
            size: header.size,
            frameCount: max(1, header.frameCount),
            loopCount: header.frameCount > 1 ? header.loopCount : 1,
            hasAlpha: header.hasAlpha,
            isComplete: header.isComplete
        )
    }
}
