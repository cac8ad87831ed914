package import AlcedoPixels
import CWebP

package enum AnimatedWebP {
    /// The most plays that a file can have, apart from infinite ones; a GIF can have one more.
    private static let mostLoops = 65_535

    /// Encodes frames of equal size; a `loopCount` of 0 is infinite, and one above 65,535 is 65,535.
    ///
    /// `quality` is from 0 to 1; nil for lossless.
    package static func encode(
        frames: [AnimationFrame],
        loopCount: Int = 0,
        quality: Double? = 0.9
    ) throws(CodecError) -> [UInt8] {
        let size = frames.first?.bitmap.size ?? PixelSize(width: 0, height: 0)
        let info = ImageInfo(format: .webp, size: size, loopCount: loopCount)
        return try encode(frames: FrameList(frames, info: info), quality: quality)
    }

    static func encode(frames: any FrameDecoder, quality: Double?) throws(CodecError) -> [UInt8] {
        let size = frames.info.size
        var options = WebPAnimEncoderOptions()
        WebPAnimEncoderOptionsInit(&options)
        options.anim_params.loop_count = Int32(min(max(0, frames.info.loopCount), mostLoops))
        let width = Int32(clamping: size.width)
        let height = Int32(clamping: size.height)
        guard let encoder = WebPAnimEncoderNew(width, height, &options) else {
            throw .encodingFailed(.webp, reason: "libwebp does not accept the size \(size)")
        }
        defer { WebPAnimEncoderDelete(encoder) }

        var config = try WebPConfig(quality: quality ?? 1, isLossless: quality == nil)
        var time: Int32 = 0
        var isEmpty = true
        while let frame = try frames.next() {
            isEmpty = false
            guard frame.bitmap.size == size else {
                throw .encodingFailed(.webp, reason: "an animation needs frames of one size")
            }
            // The animation encoder compares frames as RGB, for lossy output too.
            var handle = try WebPPictureHandle(frame.bitmap, isLossless: true)
            guard WebPAnimEncoderAdd(encoder, &handle.picture, time, &config) != 0 else {
                throw handle.failure
            }
            let milliseconds = (max(0, frame.duration) * 1000).rounded()
            // The duration of a frame has 24 bits.
            time &+= Int32(min(milliseconds, 0xFF_FFFF))
        }
        guard !isEmpty else { throw .encodingFailed(.webp, reason: "there are no frames") }
        // Ends the last frame.
        WebPAnimEncoderAdd(encoder, nil, time, nil)
        var data = WebPData()
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAssemble(encoder, &data) != 0 else {
            throw .encodingFailed(.webp, reason: String(cString: WebPAnimEncoderGetError(encoder)))
        }
        return [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    }
}
