public import AlcedoPixels

extension BMPCodec {
    /// Writes BMP, uncompressed.
    public var encodableFormats: [EncodedFormat] { [.bmp] }

    /// Writes 24 bits per pixel if `bitmap` is opaque, else 32 bits with straight alpha.
    ///
    /// Straight pixels are lossless. Alpha that is 0 everywhere is ignored by browsers and by this codec.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .bmp else { throw .unsupported(format, reason: "the BMP codec does not write it") }
        let isOpaque = bitmap.alpha == .opaque
        let stride = isOpaque ? (bitmap.width * 3 + 3) / 4 * 4 : bitmap.bytesPerRow
        let headers = Self.headers(bitmap.size, isOpaque: isOpaque, stride: stride)
        let count = headers.count + stride * bitmap.height
        guard count <= Int(Int32.max) else {
            throw .encodingFailed(.bmp, reason: "\(bitmap.size) pixels take \(count) bytes, more than 2 GiB")
        }
        var file = [UInt8](repeating: 0, count: count)
        file.replaceSubrange(0..<headers.count, with: headers)
        let straight = isOpaque ? [] : bitmap.bytes(in: PixelLayout(.bgra, .straight))
        for y in 0..<bitmap.height {
            // The bottom row comes first.
            let (source, target) = (y * bitmap.bytesPerRow, count - (y + 1) * stride)
            if !isOpaque {
                let row = straight[source..<source + bitmap.bytesPerRow]
                file.replaceSubrange(target..<target + stride, with: row)
                continue
            }
            bitmap.withUnsafeBytes { pixels in
                for x in 0..<bitmap.width {
                    for channel in 0..<3 {
                        file[target + x * 3 + channel] = pixels[source + x * 4 + channel]
                    }
                }
            }
        }
        return file
    }

    /// The file header, and a BITMAPINFOHEADER, or a BITMAPV4HEADER for alpha.
    private static func headers(_ size: PixelSize, isOpaque: Bool, stride: Int) -> [UInt8] {
        let (headerSize, pixelBytes) = (isOpaque ? 40 : 108, stride * size.height)
        let start = 14 + headerSize
        var bytes = Array("BM".utf8)
        func append(_ values: Int...) {
            for value in values {
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { bytes += $0 }
            }
        }
        append(start + pixelBytes, 0, start)
        // One plane in the low half. Uncompressed is 0, with masks it is 3.
        append(headerSize, size.width, size.height, 1 | (isOpaque ? 24 : 32) << 16, isOpaque ? 0 : 3)
        append(pixelBytes, pixelsPerMetre, pixelsPerMetre, 0, 0)
        guard !isOpaque else { return bytes }
        append(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000, sRGB)
        return bytes + [UInt8](repeating: 0, count: start - bytes.count)
    }

    /// 72 pixels per inch.
    private static let pixelsPerMetre = 2835

    /// `LCS_sRGB` of Windows: the characters “sRGB”.
    private static let sRGB = 0x7352_4742
}
