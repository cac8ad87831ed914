public import Foundation

/// Frames of an animation, decoded when they are asked for.
///
/// Kingfisher's protocol, except that a source may be asked on any thread.
public protocol ImageFrameSource: Sendable {
    /// The bytes that the frames come from; nil if there are none.
    var data: Data? { get }

    /// Frames; 1 for a still image.
    var frameCount: Int { get }

    /// One frame, upright and complete, whose longer side is no longer than the longer one of `maxSize`, in pixels.
    ///
    /// Nil where there is no such frame, or it is damaged.
    func frame(at index: Int, maxSize: CGSize?) -> CGImage?

    /// How long a frame is shown, in seconds.
    func duration(at index: Int) -> TimeInterval

    /// A source of the same frames that shares no state with this one.
    func copy() -> Self
}

extension ImageFrameSource {
    /// One frame at its full size.
    public func frame(at index: Int) -> CGImage? { frame(at: index, maxSize: nil) }

    /// The source itself.
    public func copy() -> Self { self }
}
