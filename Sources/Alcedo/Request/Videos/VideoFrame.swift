import AlcedoCodecs
import AlcedoIsolation
package import AlcedoPixels
package import Foundation

/// Decodes frames of videos, in the worker processes of `alcedo-decode-video`.
let videoFrames: any FileDecoder = {
    // Sets the memory limit of workers.
    _ = codecs
    return IsolatedFileDecoder(of: .video, in: .video)
}()

/// A frame of a video.
package enum VideoFrame {
    /// The quality of the JPEG: without artefacts of its own.
    private static let quality = 0.95

    /// Decodes the frame of an open file that is shown at a time, the last one if the video is shorter.
    ///
    /// Blocks until a worker process has decoded it.
    package static func clamped(
        _ file: Int32, seconds: Double, limits: DecodeLimits
    ) throws(CodecError) -> Bitmap {
        var options = DecodeOptions {
            ($0.time, $0.keepsStraightAlpha, $0.limits) = (seconds, true, limits)
        }
        do throws(CodecError) { return try videoFrames.decode(file, options: options) } catch {
            guard case .noFrame(_, let end) = error, end < seconds else { throw error }
            options.time = end
            return try videoFrames.decode(file, options: options)
        }
    }

    /// A JPEG, or a PNG if a pixel is transparent.
    package static func encoded(_ bitmap: Bitmap) throws(CodecError) -> Data {
        guard bitmap.alpha == .opaque else { return Data(try codecs.encode(bitmap, as: .png)) }
        return Data(
            try codecs.encode(bitmap, as: .jpeg, options: EncodeOptions { $0.quality = quality }))
    }
}
