import AlcedoPixels
public import Foundation

/// Frames of an animation, decoded on demand.
///
/// Kingfisher's protocol, except that methods may be called on any thread.
public protocol ImageFrameSource: Sendable {
    /// The encoded bytes of the frames; nil if there are none.
    var data: Data? { get }

    /// The number of frames; 1 for a still image.
    var frameCount: Int { get }

    /// One upright, fully composed frame whose longer side is at most the longer side of `maxSize`, in pixels.
    ///
    /// Nil if the index is out of range or the frame is damaged.
    func frame(at index: Int, maxSize: CGSize?) -> CGImage?

    /// The duration of a frame, in seconds.
    func duration(at index: Int) -> TimeInterval

    /// A source of the same frames that shares no state with this source.
    func copy() -> Self
}

/// A source that says why a frame could not be decoded.
protocol ThrowingFrameSource: ImageFrameSource {
    /// The frame of ``ImageFrameSource/frame(at:maxSize:)``.
    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap?
}

extension ImageFrameSource {
    /// The frame; nil if it is damaged.
    ///
    /// - Throws: ``CodecError`` if it may decode later: time, memory or a worker process was missing.
    func frameUnlessFailing(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap? {
        guard let source = self as? any ThrowingFrameSource else { return frame(at: index, maxSize: maxSize) }
        do throws(CodecError) {
            return try source.decodedFrame(at: index, maxSize: maxSize)
        } catch {
            switch error {
            case .timeLimitExceeded, .outOfMemory, .workerFailed: throw error
            default: return nil
            }
        }
    }

    /// One frame at full size.
    public func frame(at index: Int) -> CGImage? { frame(at: index, maxSize: nil) }

    /// The source itself.
    public func copy() -> Self { self }
}
