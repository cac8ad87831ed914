public import AlcedoPixels

/// GIF through giflib, read only; still and animated.
///
/// Composed as browsers do: the canvas begins transparent, "restore to background" makes transparent again,
/// frames are clipped to the canvas, and a missing trailer is forgiven. A loop count of n in the file means n
/// repeats after the first play, as browsers count.
public struct GIFCodec: ImageCodec {
    /// Makes the codec.
    public init() {}

    /// GIF if `bytes` begin with either of its signatures.
    public func format(of bytes: RawSpan) -> EncodedFormat? {
        GIFHeader.isSignature(bytes) ? .gif : nil
    }

    /// Walks the blocks.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(try header(of: bytes, limits: limits))
    }

    /// Composes the first frame, at full size.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try completeHeader(of: bytes, options: options)
        guard let frame = try GIFFrames(bytes, info: ImageInfo(header), options: options).next() else {
            throw .corrupt(.gif, reason: "it has no frames")
        }
        return frame.bitmap
    }

    /// Copies `bytes`.
    public func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        let header = try completeHeader(of: bytes, options: options)
        try options.limits.check(frames: header.frameCount, of: header.size)
        return try GIFFrames(bytes, info: ImageInfo(header), options: options)
    }

    /// Nil: colours of a GIF are sRGB.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }

    private func header(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> GIFHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try GIFHeader(bytes)
        try limits.check(frame: header.size, of: .gif)
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
