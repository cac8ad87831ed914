import AlcedoCodecs
import AlcedoRaster
import Foundation

/// An image's bytes together with what their headers say.
struct EncodedImage: Sendable {
    let data: Data
    let info: ImageInfo
    let limits: DecodeLimits

    /// Reads headers; throws unless `data` is a whole image within `limits`.
    init(_ data: Data, limits: DecodeLimits) throws(CodecError) {
        let info = try codecs.info(of: data.bytes, limits: limits)
        guard info.isComplete else { throw .truncated(info.format) }
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
}
