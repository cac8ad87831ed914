import AlcedoPixels
import CWebP

/// Composes the frames of an animated WebP with libwebp's own decoder, which keeps two canvases.
final class WebPFrames: FrameDecoder {
    let info: ImageInfo

    private let handle: OpaquePointer
    private let bytes: EncodedBytes
    private let converter: WebPRowConverter
    private let limits: DecodeLimits
    /// The end of the previous frame, in milliseconds from the start.
    private var lastEnd: Int32 = 0

    /// Keeps `bytes`; `header` must have passed the limits.
    init(_ bytes: EncodedBytes, header: WebPHeader, options: DecodeOptions) throws(CodecError) {
        let start = bytes.buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var data = WebPData(bytes: start, size: bytes.buffer.count)
        var settings = WebPAnimDecoderOptions()
        WebPAnimDecoderOptionsInit(&settings)
        settings.color_mode = MODE_BGRA
        settings.use_threads = 0
        let (canvas, frameCount) = Self.contents(of: data)
        guard canvas == header.size, let handle = WebPAnimDecoderNew(&data, &settings) else {
            throw .corrupt(.webp, reason: "its animation is malformed")
        }
        self.bytes = bytes
        self.handle = handle
        limits = options.limits
        var info = ImageInfo(header)
        info.frameCount = frameCount
        self.info = info
        let range = header.profile.flatMap { $0.count <= options.limits.metadataBytes ? $0 : nil }
        // A frame that leaves part of the canvas uncovered results in alpha without a flag.
        converter = WebPRowConverter(
            profile: range.map { [UInt8](bytes.buffer[$0]) }, hasAlpha: true, options: options)
    }

    deinit {
        WebPAnimDecoderDelete(handle)
        // libwebp reads them until then.
        withExtendedLifetime(bytes) {}
    }

    func next() throws(CodecError) -> AnimationFrame? {
        guard WebPAnimDecoderHasMoreFrames(handle) != 0 else { return nil }
        let deadline = Deadline(limits)
        try deadline.check()
        var canvas: UnsafeMutablePointer<UInt8>?
        var end: Int32 = 0
        guard WebPAnimDecoderGetNext(handle, &canvas, &end) != 0, let canvas else {
            throw .corrupt(.webp, reason: "a frame does not decode")
        }
        var pixels = try PixelBuilder(size: info.size, alpha: .opaque)
        pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            output.copyMemory(from: UnsafeRawBufferPointer(start: canvas, count: output.count))
            return try converter(PixelRows(output, info.size), until: deadline)
        }
        defer { lastEnd = end }
        // libwebp's sum of all durations may overflow; their difference is right even then.
        return AnimationFrame(bitmap: pixels.freeze(), duration: Double(end &- lastEnd) / 1000)
    }

    func rewind() {
        WebPAnimDecoderReset(handle)
        lastEnd = 0
    }

    /// The demuxer's canvas, to compare with the checked one, and its number of frames: it skips unknown ones.
    private static func contents(of data: WebPData) -> (canvas: PixelSize?, frameCount: Int) {
        var data = data
        guard let demuxer = WebPDemux(&data) else { return (nil, 0) }
        defer { WebPDemuxDelete(demuxer) }
        let canvas = PixelSize(
            width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
            height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT))
        )
        return (canvas, Int(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)))
    }
}
