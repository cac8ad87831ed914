import AlcedoCodecs
import Foundation

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

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        try? decodedFrame(at: index, maxSize: maxSize)
    }

    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap? {
        guard let bitmap = try source.frameUnlessFailing(at: index, maxSize: nil) else { return nil }
        let changed = try transform(bitmap)
        guard let maxSize, maxSize.width > 0 || maxSize.height > 0 else { return changed }
        let size = changed.size.fitted(longerSide: max(maxSize.width, maxSize.height))
        return try Image(bitmap: changed).resized(to: size).bitmap()
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
        guard let maxSize, maxSize.width > 0 || maxSize.height > 0 else { return try? image.bitmap() }
        let size = image.pixelSize.fitted(longerSide: max(maxSize.width, maxSize.height))
        return try? image.resized(to: size).bitmap()
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
