import AlcedoPixels

/// Composes the frames of an animated PNG onto one canvas.
///
/// libspng does not support animations: each frame is rewritten as a PNG with the shared chunks.
final class APNGFrames: FrameDecoder {
    let info: ImageInfo

    private let bytes: EncodedBytes
    private let header: PNGHeader
    private let frames: [APNGFrame]
    /// The header's shared chunks with a correct checksum, which is checked once.
    private let sharedChunks: [[UInt8]]
    private let options: DecodeOptions
    private let canvas: APNGCanvas
    private var position = 0

    /// Keeps `bytes`; `header` must have passed the limits.
    init(
        _ bytes: EncodedBytes,
        header: PNGHeader,
        info: ImageInfo,
        options: DecodeOptions
    ) throws(CodecError) {
        sharedChunks = try Self.validChunks(of: header, in: bytes.buffer)
        canvas = try APNGCanvas(header.size)
        self.bytes = bytes
        self.header = header
        self.info = info
        // Frames are drawn over each other in 8 bits.
        self.options = options.inStandardColor
        frames = header.frames
    }

    private static func validChunks(
        of header: PNGHeader,
        in buffer: UnsafeRawBufferPointer
    ) throws(CodecError) -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        for chunk in header.sharedChunks {
            if PNGChecksum.isValid(in: buffer.bytes, chunk) {
                chunks.append(PNGRepair.palette(buffer.bytes, chunk) ?? [UInt8](buffer[chunk]))
            } else if buffer[chunk.lowerBound + 4] & 0x20 == 0 {
                // Only ancillary chunks may be left out.
                throw .corrupt(.png, reason: "a chunk's checksum is wrong")
            }
        }
        return chunks
    }

    func next() throws(CodecError) -> AnimationFrame? {
        guard position < frames.count else { return nil }
        let frame = frames[position]
        let bitmap = try decode(frame)
        try canvas.draw(bitmap, frame)
        position += 1
        let coversAll = bitmap.alpha == .opaque && bitmap.size == header.size
        let keepsStraightAlpha = options.keepsStraightAlpha
        return AnimationFrame(
            bitmap: coversAll ? bitmap : try canvas.snapshot(keepsStraightAlpha: keepsStraightAlpha),
            duration: frame.duration
        )
    }

    func rewind() {
        position = 0
        canvas.reset()
    }

    var canDecodeLast: Bool {
        guard let last = frames.last else { return false }
        return (try? decode(last)) != nil
    }

    private func decode(_ frame: APNGFrame) throws(CodecError) -> Bitmap {
        let file = try file(of: frame)
        return try PNGCodec().decodeStill(
            file.span.bytes,
            options: DecodeOptions {
                $0.keepsStraightAlpha = true
                $0.limits = options.limits
            },
            // Rewritten files have checksums of 0: those of the original were checked.
            isVerified: !frame.isStillImage
        )
    }

    /// Rewrites a frame as a PNG.
    private func file(of frame: APNGFrame) throws(CodecError) -> [UInt8] {
        if frame.isStillImage { return [UInt8](bytes.buffer) }
        var header = Array(bytes.buffer[16..<29])
        var size: [UInt8] = []
        PNGChunkWriter.append(UInt32(frame.rect.width), to: &size)
        PNGChunkWriter.append(UInt32(frame.rect.height), to: &size)
        header.replaceSubrange(0..<8, with: size)
        var file = PNGChunkWriter()
        let shared = sharedChunks.reduce(100) { $0 + $1.count }
        file.reserve(frame.data.reduce(shared) { $0 + $1.count + 12 })
        file.addUnchecked("IHDR", header)
        for chunk in sharedChunks { file.addCopy(chunk) }
        let buffer = bytes.buffer
        for range in frame.data {
            // Includes the chunk's length, name and sequence number.
            guard PNGChecksum.isValid(in: buffer.bytes, (range.lowerBound - 12)..<(range.upperBound + 4))
            else {
                throw .corrupt(.png, reason: "a frame's checksum is wrong")
            }
            file.addUnchecked("IDAT", buffer[range])
        }
        file.addUnchecked("IEND", EmptyCollection())
        return file.bytes
    }
}

/// The canvas of an animated PNG; straight alpha.
final class APNGCanvas {
    private let pixels: FramePixels
    /// The canvas to restore when the last frame is disposed of.
    private var saved: FramePixels?
    private var last: APNGFrame?

    init(_ size: PixelSize) throws(CodecError) { pixels = try FramePixels(clear: size) }

    /// Makes everything transparent.
    func reset() {
        last = nil
        pixels.base.update(repeating: 0, count: pixels.size.area)
    }

    /// Disposes of the last frame, then draws `bitmap` of `frame`.
    func draw(_ bitmap: Bitmap, _ frame: APNGFrame) throws(CodecError) {
        disposeOfLast()
        // Before the first frame this is the empty canvas, as the specification requires.
        if frame.disposal == .restorePrevious { try save() }
        last = frame
        let width = pixels.size.width
        let rect = frame.rect
        bitmap.withUnsafeBytes { source in
            guard let source = source.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
            for y in 0..<rect.height {
                let from = source + y * rect.width
                let to = pixels.base + (rect.top + y) * width + rect.left
                if frame.blending == .replace || bitmap.alpha == .opaque {
                    to.update(from: from, count: rect.width)
                } else {
                    for x in 0..<rect.width { to[x] = Self.over(from[x], to[x]) }
                }
            }
        }
    }

    func snapshot(keepsStraightAlpha: Bool) throws(CodecError) -> Bitmap {
        let size = pixels.size
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        builder.alpha = builder.withUnsafeMutableBytes { output in
            output.copyMemory(from: UnsafeRawBufferPointer(start: pixels.base, count: output.count))
            let rows = PixelRows(output, size)
            if keepsStraightAlpha { return rows.isOpaque ? .opaque : .straight }
            return rows.premultiply() ? .opaque : .premultiplied
        }
        return builder.freeze()
    }

    /// Alpha compositing as in the PNG specification, in integers that are rounded once.
    @inline(__always)
    private static func over(_ front: UInt32, _ back: UInt32) -> UInt32 {
        let alpha = front >> 24
        if alpha == 255 || back >> 24 == 0 { return front }
        if alpha == 0 { return back }
        let own = alpha * 255
        let through = (255 - alpha) * (back >> 24)
        let sum = own + through
        func mixed(_ shift: UInt32) -> UInt32 {
            (((front >> shift & 0xFF) * own + (back >> shift & 0xFF) * through + sum / 2) / sum) << shift
        }
        return ((sum + 127) / 255) << 24 | mixed(16) | mixed(8) | mixed(0)
    }

    private func save() throws(CodecError) {
        let copy = if let saved { saved } else { try FramePixels(clear: pixels.size) }
        copy.base.update(from: pixels.base, count: pixels.size.area)
        saved = copy
    }

    private func disposeOfLast() {
        guard let last else { return }
        self.last = nil
        switch last.disposal {
        case .keep: return
        case .restorePrevious:
            if let saved { pixels.base.update(from: saved.base, count: pixels.size.area) }
        case .clear:
            for y in last.rect.top..<(last.rect.top + last.rect.height) {
                (pixels.base + y * pixels.size.width + last.rect.left)
                    .update(repeating: 0, count: last.rect.width)
            }
        }
    }
}
