/// A still image as an animation of one frame, with a duration of 0.
package final class StillFrames: FrameDecoder {
    package let info: ImageInfo

    private let bitmap: Bitmap
    private var isDone = false

    /// Decodes immediately, so that the bytes need not be retained.
    package init(of bytes: RawSpan, with codec: some ImageCodec, options: DecodeOptions) throws(CodecError) {
        var info = try codec.info(of: bytes, limits: options.limits)
        bitmap = try codec.decode(bytes, options: options)
        info.frameCount = 1
        info.loopCount = 1
        self.info = info
    }

    package func next() throws(CodecError) -> AnimationFrame? {
        guard !isDone else { return nil }
        isDone = true
        return AnimationFrame(bitmap: bitmap, duration: 0)
    }

    package func rewind() { isDone = false }
}
