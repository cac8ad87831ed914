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
        let mostPixels = mostPixels(of: format) ?? .max
        guard max(size.width, size.height) <= longestSide, size.area <= mostPixels else {
            throw .encodingFailed(
                format, reason: "\(size) pixels exceed \(mostPixels), or a side \(longestSide)")
        }
    }
}
