import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
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
    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap?
}

extension ThrowingFrameSource {
    func frame(at index: Int, maxSize: CGSize?) -> CGImage? { try? decodedFrame(at: index, maxSize: maxSize) }
}

extension PixelSize {
    /// This size, reduced so that its longer side is at most the longer side of `maxSize`; nil or an empty size for no reduction.
    func reduced(to maxSize: CGSize?) -> PixelSize {
        let side = maxSize.map { max($0.width, $0.height) } ?? 0
        return side > 0 ? fitted(longerSide: side) : self
    }
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
            case .timeLimitExceeded, .outOfMemory, .sandboxFailed: throw error
            default: return nil
            }
        }
    }

    public func frame(at index: Int) -> CGImage? { frame(at: index, maxSize: nil) }
    public func copy() -> Self { self }
}

/// The frames of another source, each passed through `transform`.
struct MappedFrames: ThrowingFrameSource {
    private let source: any ImageFrameSource
    private let transform: @Sendable (Bitmap) throws(CodecError) -> Bitmap
    let loopCount: Int

    init(
        _ source: any ImageFrameSource,
        loopCount: Int,
        _ transform: @escaping @Sendable (Bitmap) throws(CodecError) -> Bitmap
    ) {
        self.source = source
        self.loopCount = loopCount
        self.transform = transform
    }

    /// Nil, because the bytes of the source encode the untransformed frames.
    var data: Data? { nil }

    var frameCount: Int { source.frameCount }

    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap? {
        guard let bitmap = try source.frameUnlessFailing(at: index, maxSize: nil) else { return nil }
        let changed = try transform(bitmap)
        return try changed.resized(to: changed.size.reduced(to: maxSize))
    }

    func duration(at index: Int) -> TimeInterval { source.duration(at: index) }

    func copy() -> MappedFrames { MappedFrames(source.copy(), loopCount: loopCount, transform) }
}

/// The frames of an animation whose frames are all decoded.
struct DecodedFrames: ImageFrameSource {
    private let animation: ImageAnimation

    init(_ animation: ImageAnimation) { self.animation = animation }

    /// Nil, because the frames may differ from the encoded bytes.
    var data: Data? { nil }

    var frameCount: Int { animation.frames.count }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        guard animation.frames.indices.contains(index) else { return nil }
        let image = animation.frames[index].image
        return try? image.resized(to: image.pixelSize.reduced(to: maxSize)).bitmap()
    }

    func duration(at index: Int) -> TimeInterval { animation.frames[index].duration }
}

/// Supplies an image's frames to an encoder.
final class ImageFrames: FrameDecoder {
    let info: ImageInfo

    private let count: Int
    private let frame: (Int) throws(CodecError) -> AnimationFrame
    private var position = 0

    /// The frames of an animation, each resized to the size of `image`.
    init(_ image: Image, _ animation: ImageAnimation) {
        info = ImageInfo(format: .png, size: image.pixelSize, loopCount: animation.loopCount)
        count = animation.frames.count
        frame = { index throws(CodecError) in
            let frame = animation.frames[index]
            let bitmap = try frame.image.resized(to: image.pixelSize).bitmap()
            return AnimationFrame(bitmap: bitmap, duration: frame.duration)
        }
    }

    /// The frames of `source`; `image` is the first of them.
    init(_ image: Image, _ source: any ImageFrameSource) {
        info = ImageInfo(format: .png, size: image.pixelSize, loopCount: image.loopCount)
        count = source.frameCount
        frame = { index throws(CodecError) in
            guard let bitmap = source.frame(at: index) else {
                throw .corrupt(image.info?.format ?? .png, reason: "frame \(index) could not be decoded")
            }
            let frame = try Image(bitmap: bitmap).resized(to: image.pixelSize).bitmap()
            return AnimationFrame(bitmap: frame, duration: source.duration(at: index))
        }
    }

    func next() throws(CodecError) -> AnimationFrame? {
        guard position < count else { return nil }
        defer { position += 1 }
        return try frame(position)
    }

    func rewind() { position = 0 }
}
