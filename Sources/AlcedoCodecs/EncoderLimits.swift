package import AlcedoPixels

package enum EncoderLimits {
    /// The most pixels of a picture; nil for any number.
    ///
    /// Encoders of AV1 and HEVC need gigabytes for more: libaom takes 27 bytes per pixel.
    package static func mostPixels(of format: EncodedFormat) -> Int? {
        format == .avif || format == .heic ? 1 << 26 : nil
    }

    /// Throws for more pixels than the encoder takes, or a side longer than the format has.
    package static func check(
        _ size: PixelSize, of format: EncodedFormat, longestSide: Int
    ) throws(CodecError) {
        guard max(size.width, size.height) <= longestSide else {
            throw .encodingFailed(format, reason: "\(size) is over \(longestSide) pixels a side")
        }
        if let mostPixels = mostPixels(of: format), size.area > mostPixels {
            throw .encodingFailed(format, reason: "\(size) is over \(mostPixels) pixels")
        }
    }
}
