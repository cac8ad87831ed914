package import AlcedoPixels
import CWebP

/// Writes animated WebPs.
package enum AnimatedWebP {
    /// Encodes frames of one size, which play `loopCount` times, or for ever if that is 0.
    ///
    /// `quality` is from 0 to 1, or nil for lossless.
    package static func encode(
        frames: [AnimationFrame],
        loopCount: Int = 0,
        quality: Double? = 0.9
    ) throws(CodecError) -> [UInt8] {
        guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
            throw .encodingFailed(.webp, reason: "an animation needs frames of one size")
        }
        var options = WebPAnimEncoderOptions()
        WebPAnimEncoderOptionsInit(&options)
        options.anim_params.loop_count = Int32(clamping: loopCount)
        let width = Int32(clamping: size.width)
        let height = Int32(clamping: size.height)
        guard let encoder = WebPAnimEncoderNew(width, height, &options) else {
            throw .encodingFailed(.webp, reason: "its size is \(size)")
        }
        defer { WebPAnimEncoderDelete(encoder) }

        var config = try WebPConfig(quality: quality ?? 1, isLossless: quality == nil)
        var time: Int32 = 0
        for frame in frames {
            // The animation encoder compares frames as RGB, whatever it writes.
            var handle = try WebPPictureHandle(frame.bitmap, isLossless: true)
            guard WebPAnimEncoderAdd(encoder, &handle.picture, time, &config) != 0 else {
                throw handle.failure
            }
            let milliseconds = (max(0, frame.duration) * 1000).rounded()
            time &+= Int32(min(milliseconds, 0xFF_FFFF))
        }
        WebPAnimEncoderAdd(encoder, nil, time, nil)
        var data = WebPData()
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAssemble(encoder, &data) != 0 else {
            throw .encodingFailed(.webp, reason: String(cString: WebPAnimEncoderGetError(encoder)))
        }
        return [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    }
}
