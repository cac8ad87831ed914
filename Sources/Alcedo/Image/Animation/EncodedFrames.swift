import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
public import Foundation

/// The frames of encoded bytes, in any format with a registered codec.
///
/// Frames depend on the frames before them. Sequential access decodes each frame once; access to an earlier frame
/// decodes from the first frame again. Memory holds the canvas that frames are composed on, for any frame count.
public final class EncodedFrames: ThrowingFrameSource {
    /// A decoder and its position.
    ///
    /// Safe because one thread at a time owns it: a thread takes it out of the lock before use.
    private final class Cursor: @unchecked Sendable {
        let decoder: any FrameDecoder
        var next = 0

        /// The frame before that, as long as somebody uses it: a view has a smaller one.
        weak var last: Bitmap?

        init(_ decoder: any FrameDecoder) { self.decoder = decoder }
    }

    let encoded: EncodedImage
    private let durations: [TimeInterval]
    private let idle = Lock<Cursor?>(nil)

    init(_ encoded: EncodedImage) throws(CodecError) {
        self.encoded = encoded
        durations = try encoded.resources.codecs.frameDurations(
            of: encoded.data.bytes, limits: encoded.limits
        )
        .map(GIFAnimatedImage.displayDuration)
    }

    private init(sameAs other: EncodedFrames) {
        encoded = other.encoded
        durations = other.durations
    }

    /// Reads the headers of `data`.
    ///
    /// - Parameters:
    ///   - data: the complete encoded image.
    ///   - limits: the limits of this and all later decoding.
    /// - Throws: ``CodecError`` if the data is not an image, is truncated or exceeds a limit.
    public convenience init(
        decoding data: Data,
        limits: DecodeLimits = DecodeLimits()
    ) throws(CodecError) {
        try self.init(EncodedImage(data, limits: limits))
    }

    public var data: Data? { encoded.data }
    public var frameCount: Int { encoded.info.frameCount }

    public func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        try? decodedFrame(at: index, maxSize: maxSize)
    }

    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap? {
        guard let bitmap = try bitmap(at: index) else { return nil }
        return try bitmap.resized(to: bitmap.size.reduced(to: maxSize))
    }

    /// The frame's duration in seconds; 0 for an index out of range.
    ///
    /// A duration of 0.011 s or less becomes 0.1 s, as in browsers.
    public func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }

    public func copy() -> EncodedFrames { EncodedFrames(sameAs: self) }

    private func bitmap(at index: Int) throws(CodecError) -> Bitmap? {
        guard index >= 0, index < frameCount else { return nil }
        let taken = idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
        let cursor = if let taken { taken } else { Cursor(try encoded.frames()) }
        // A decoder that has failed is dropped: some fail for ever.
        let bitmap = try bitmap(at: index, by: cursor)
        // Frees a cursor that another thread has stored since, outside the lock.
        let other = idle.withLock { exchange(&$0, with: cursor) }
        withExtendedLifetime(other) {}
        return bitmap
    }

    private func bitmap(at index: Int, by cursor: Cursor) throws(CodecError) -> Bitmap? {
        if index == cursor.next - 1, let last = cursor.last { return last }
        if index < cursor.next {
            cursor.decoder.rewind()
            cursor.next = 0
        }
        while let frame = try cursor.decoder.next() {
            cursor.next += 1
            guard cursor.next > index else { continue }
            let bitmap = try frame.bitmap.oriented(encoded.info.orientation)
            cursor.last = bitmap
            return bitmap
        }
        return nil
    }
}
