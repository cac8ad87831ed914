/// Decodes the frames of one animation in order, each composed onto the full canvas.
///
/// Not `Sendable`: one thread at a time.
public protocol FrameDecoder: AnyObject {
    /// The info from the headers.
    var info: ImageInfo { get }

    /// Decodes the next frame, or returns nil after the last one.
    func next() throws(CodecError) -> AnimationFrame?

    /// Starts again from the first frame.
    func rewind()
}

/// A decoder of frames that are decoded already.
package final class FrameList: FrameDecoder {
    package let info: ImageInfo

    private let frames: [AnimationFrame]
    private var position = 0

    package init(_ frames: [AnimationFrame], info: ImageInfo) {
        self.frames = frames
        self.info = info
    }

    /// A still image as an animation of one frame, with a duration of 0.
    ///
    /// Decodes immediately, so that the bytes need not be retained.
    package convenience init(
        of bytes: RawSpan, with codec: some ImageCodec, options: DecodeOptions
    ) throws(CodecError) {
        var info = try codec.info(of: bytes, limits: options.limits)
        let bitmap = try codec.decode(bytes, options: options)
        (info.frameCount, info.loopCount) = (1, 1)
        self.init([AnimationFrame(bitmap: bitmap, duration: 0)], info: info)
    }

    package func next() throws(CodecError) -> AnimationFrame? {
        guard position < frames.count else { return nil }
        defer { position += 1 }
        return frames[position]
    }

    package func rewind() { position = 0 }
}

/// One frame of an animation, composed.
public struct AnimationFrame: Sendable {
    /// The whole canvas, in stored orientation.
    public let bitmap: Bitmap

    /// The duration in seconds as stored in the file; may be 0.
    public let duration: Double

    public init(bitmap: Bitmap, duration: Double) {
        self.bitmap = bitmap
        self.duration = duration
    }
}
