public import AlcedoPixels
import CJPEGShim
import Glibc

extension JPEGCodec {
    /// Encodes a JPEG; a bitmap with alpha is composited over white.
    ///
    /// Qualities of at least 0.95 use 4:4:4 chroma subsampling, lower ones 4:2:0. Up to 2²³ pixels, and in every
    /// progressive file, the Huffman tables are made for the picture.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        guard format == .jpeg else { throw .unsupported(format, reason: "the JPEG codec does not write it") }
        guard bitmap.width <= 65500, bitmap.height <= 65500 else {
            throw .encodingFailed(.jpeg, reason: "\(bitmap.size) is over 65500 pixels a side")
        }
        let quality = options.boundedQuality
        var encoding = alcedo_jpeg_encoding(
            width: UInt32(bitmap.width),
            height: UInt32(bitmap.height),
            alpha: bitmap.alpha.forJPEG,
            quality: Int32(max(1, (quality * 100).rounded())),
            halves_chroma: quality < 0.95 ? 1 : 0,
            progressive: options.isProgressive ? 1 : 0
        )
        var message = JPEGMessage()
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = bitmap.withUnsafeBytes { pixels in
            message.withBuffer { text in
                alcedo_jpeg_encode(
                    pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &encoding,
                    &written,
                    &count,
                    text
                )
            }
        }
        guard status == ALCEDO_JPEG_OK else { throw .encodingFailed(.jpeg, reason: message.text) }
        defer { free(written) }
        return [UInt8](UnsafeBufferPointer(start: written, count: count))
    }
}

extension Bitmap.Alpha {
    fileprivate var forJPEG: alcedo_jpeg_alpha {
        switch self {
        case .opaque: ALCEDO_JPEG_OPAQUE
        case .premultiplied: ALCEDO_JPEG_PREMULTIPLIED
        case .straight: ALCEDO_JPEG_STRAIGHT
        }
    }
}
