import AlcedoCodecs
public import Foundation

extension Image {
    /// The image as bytes in `format`.
    ///
    /// Bytes that the image was made from, and that still describe it, are returned as they are when the format is
    /// theirs, unless there are options that the format knows. Otherwise they are decoded without multiplying colours
    /// by alpha: a change between lossless formats is exact. Of an animation that is written anew the first frame is.
    ///
    /// - Parameters:
    ///   - format: the format to write.
    ///   - options: how to write it; with nil, pixels are written with the default ``EncodeOptions``.
    /// - Returns: the file's content.
    /// - Throws: ``CodecError`` if the format can't be written or the image's own bytes are damaged.
    public func data(as format: EncodedFormat, options: EncodeOptions? = nil) throws(CodecError) -> Data {
        if let encoded, encoded.info.format == format, options == nil || format.hasNoOptions {
            return encoded.data
        }
        return Data(try codecs.encode(bitmapForEncoding(), as: format, options: options ?? EncodeOptions()))
    }

    private func bitmapForEncoding() throws(CodecError) -> Bitmap {
        if let encoded, encoded.info.hasAlpha { return try encoded.decode(keepsStraightAlpha: true) }
        return try bitmap()
    }
}

extension EncodedFormat {
    /// Whether no ``EncodeOptions`` make a difference to it.
    fileprivate var hasNoOptions: Bool { self == .png || self == .gif }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image as PNG, or nil if it can't be decoded.
    public func pngRepresentation() -> Data? {
        data(format: .PNG)
    }

    /// The image as JPEG, or nil if it can't be decoded; transparent parts become white.
    ///
    /// The quality is from 0 (smallest) to 1 (best); at 1 an unchanged JPEG is returned as it is.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        data(format: .JPEG, compressionQuality: compressionQuality)
    }

    /// The image in a format, PNG if that is unknown; nil if it can't be decoded or written.
    ///
    /// The quality counts for a lossy format and is from 0 to 1; at 1 an unchanged image in the format is returned as
    /// it is.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        let format = format.encoded ?? .png
        let isBestAlready = compressionQuality >= 1 && base.info?.format == format
        let options = EncodeOptions { $0.quality = Double(compressionQuality) }
        return try? base.data(as: format, options: isBestAlready ? nil : options)
    }
}
