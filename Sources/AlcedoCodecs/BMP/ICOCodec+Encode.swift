public import AlcedoPixels

extension ICOCodec {
    /// Writes ICO, with one image.
    public var encodableFormats: [EncodedFormat] { [.ico] }

    /// Writes an icon of one image, a PNG in true colour, which programs read since Windows Vista; straight pixels are
    /// lossless.
    ///
    /// - Throws: ``CodecError/encodingFailed(_:reason:)`` for a side above 256 pixels.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .ico else { throw .unsupported(format, reason: "the ICO codec does not write it") }
        guard max(bitmap.width, bitmap.height) <= 256 else {
            throw .encodingFailed(
                .ico, reason: "it has \(bitmap.size) pixels, and a side can have 256; resize it")
        }
        // Readers of icons may take nothing but true colour.
        let png = try PNGCodec().encode(bitmap, PNGLayout(bitmap.alpha == .opaque ? .rgb : .rgba))
        // 256 is written as 0. After it: no palette, one plane, and bits per pixel.
        let bits: UInt8 = bitmap.alpha == .opaque ? 24 : 32
        let entry = [
            UInt8(truncatingIfNeeded: bitmap.width), UInt8(truncatingIfNeeded: bitmap.height), 0, 0, 1, 0,
            bits, 0,
        ]
        var file: [UInt8] = [0, 0, 1, 0, 1, 0] + entry
        for value in [png.count, file.count + 8] {
            withUnsafeBytes(of: UInt32(value).littleEndian) { file += $0 }
        }
        return file + png
    }
}
