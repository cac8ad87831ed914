import AlcedoCodecs
import AlcedoRaster
import Foundation

/// An image's bytes together with what their headers say.
struct EncodedImage: Sendable {
    let data: Data
    let info: ImageInfo
    let limits: DecodeLimits

    /// Reads headers; throws unless `data` is a whole image within `limits`.
    ///
    /// Frames count against the limits only if they are all wanted.
    init(_ data: Data, limits: DecodeLimits, onlyFirstFrame: Bool = false) throws(CodecError) {
        let info = try codecs.info(of: data.bytes, limits: limits)
        guard info.isComplete else { throw .truncated(info.format) }
        if !onlyFirstFrame, info.frameCount > 1 {
            try limits.check(frames: info.frameCount, of: info.size)
        }
        self.data = data
        self.info = info
        self.limits = limits
    }

    /// Decodes the first frame and stands it upright.
    ///
    /// `size` is the smallest upright size that is still useful, nil for full size; straight alpha leaves colours as
    /// the file has them, for writing them again.
    func decode(atLeast size: PixelSize? = nil, keepsStraightAlpha: Bool = false) throws(CodecError) -> Bitmap
    {
        let options = DecodeOptions {
            $0.atLeast = size.map(info.orientation.upright)
            $0.keepsStraightAlpha = keepsStraightAlpha
            $0.limits = limits
        }
        return try codecs.decode(data.bytes, options: options).oriented(info.orientation)
    }

    /// Starts to decode all frames, as they are stored.
    func frames(keepsStraightAlpha: Bool = false) throws(CodecError) -> any FrameDecoder {
        let options = DecodeOptions {
            $0.keepsStraightAlpha = keepsStraightAlpha
            $0.limits = limits
        }
        return try codecs.frames(of: data.bytes, options: options)
    }
}
