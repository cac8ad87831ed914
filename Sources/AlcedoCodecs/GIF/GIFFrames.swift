import AlcedoPixels

/// Composes the frames of a GIF; keeps the last one, and a second one while a frame has to be restored.
final class GIFFrames: FrameDecoder {
    let info: ImageInfo

    private let bytes: EncodedBytes
    private var canvas: GIFCanvas
    private let options: DecodeOptions
    private var reader: GIFReader
    private var failure: CodecError?
    private var isDone = false
    /// Pixels of all frames so far, including those outside the canvas.
    private var work = 0

    /// Keeps `bytes`; `info` must have passed the limits.
    init(_ bytes: EncodedBytes, info: ImageInfo, options: DecodeOptions) throws(CodecError) {
        canvas = GIFCanvas(info.size)
        reader = try GIFReader(bytes.buffer)
        self.bytes = bytes
        self.info = info
        self.options = options
    }

    func next() throws(CodecError) -> AnimationFrame? {
        if let failure { throw failure }
        guard !isDone else { return nil }
        do throws(CodecError) {
            return try readFrame()
        } catch {
            failure = error
            throw error
        }
    }

    func rewind() {
        do throws(CodecError) {
            reader = try GIFReader(bytes.buffer)
            failure = nil
            isDone = false
            work = 0
            canvas.reset()
        } catch {
            failure = error
        }
    }

    private func readFrame() throws(CodecError) -> AnimationFrame? {
        guard let (frame, control) = try reader.next() else {
            isDone = true
            return nil
        }
        // Pixels outside the canvas are decoded too, so the limit is checked against the frame.
        if !frame.isEmpty {
            let size = PixelSize(width: frame.width, height: frame.height)
            try options.limits.check(frame: size, of: .gif)
        }
        // The sum of all frames is limited too, even on a small canvas. The first frame alone has passed the check above.
        work += frame.width * frame.height
        guard work <= max(options.limits.pixelsPerAnimation, options.limits.pixelsPerFrame) else {
            throw .limitExceeded(.animationPixels, value: work, limit: options.limits.pixelsPerAnimation)
        }
        let bitmap = try canvas.draw(frame, control, from: &reader, options: options)
        return AnimationFrame(bitmap: bitmap, duration: Double(control.delay) / 100)
    }
}
