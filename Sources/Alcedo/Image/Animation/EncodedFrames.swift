import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
public import Foundation

/// The frames of encoded bytes, in any format that a codec knows.
///
/// Frames build upon each other: asked in order, each is decoded once; to go back is to begin again. It keeps the
/// last frame and the canvas that frames are composed on, however many frames there are.
public final class EncodedFrames: ImageFrameSource {
    /// A decoder, and how far it has come.
    ///
    /// Safe because one thread at a time has it: it is taken out of the lock to be used.
    private final class Cursor: @unchecked Sendable {
        let decoder: any FrameDecoder
        var next = 0
        var last: Bitmap?

        init(_ decoder: any FrameDecoder) { self.decoder = decoder }
    }

    let encoded: EncodedImage
    private let durations: [TimeInterval]
    private let idle = Lock<Cursor?>(nil)

    /// Reads the headers of `encoded`.
    init(_ encoded: EncodedImage) throws(CodecError) {
        self.encoded = encoded
        durations = try codecs.frameDurations(of: encoded.data.bytes, limits: encoded.limits)
            .map(GIFAnimatedImage.shown)
    }

    private init(sameAs other: EncodedFrames) {
        encoded = other.encoded
        durations = other.durations
    }

    /// Reads the headers of `data`.
    ///
    /// - Parameters:
    ///   - data: the encoded image, whole.
    ///   - limits: what decoding may spend, now and later.
    /// - Throws: ``CodecError`` if the data is no image, is cut short or exceeds a limit.
    public convenience init(
        decoding data: Data,
        limits: DecodeLimits = DecodeLimits()
    ) throws(CodecError) {
        try self.init(EncodedImage(data, limits: limits))
    }

    /// The encoded image.
    public var data: Data? { encoded.data }

    /// Frames; 1 for a still image.
    public var frameCount: Int { encoded.info.frameCount }

    /// One frame; see ``ImageFrameSource/frame(at:maxSize:)``.
    public func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        guard let bitmap = try? bitmap(at: index) else { return nil }
        guard let maxSize, maxSize.width > 0 || maxSize.height > 0 else { return bitmap }
        return try? bitmap.resized(to: bitmap.size.fitted(longerSide: max(maxSize.width, maxSize.height)))
    }

    /// As the file says, but a tenth of a second where it says almost none, as browsers show it; 0 without such a frame.
    public func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }

    /// A source that decodes for itself.
    public func copy() -> EncodedFrames { EncodedFrames(sameAs: self) }

    private func bitmap(at index: Int) throws(CodecError) -> Bitmap? {
        guard index >= 0, index < frameCount else { return nil }
        let taken = idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
        let cursor = if let taken { taken } else { Cursor(try encoded.frames()) }
        defer {
            // Where another thread has put one back meanwhile, that one is freed here and not inside the lock.
            let other = idle.withLock { idle in
                defer { idle = cursor }
                return idle
            }
            withExtendedLifetime(other) {}
        }
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
