import AlcedoCodecs
public import Foundation

extension Image {
    /// The image as bytes in `format`; an animation as one, where the format can be animated.
    ///
    /// Bytes that the image was made from, and that still describe it, are returned as they are when the format is
    /// theirs, unless there are options that the format knows. Otherwise they are decoded without multiplying colours
    /// by alpha: a change between lossless formats is exact.
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
        if frameCount > 1, codecs.codec(animating: format) != nil {
            return try animationData(as: format, options: options ?? EncodeOptions())
        }
        return try stillData(as: format, options: options ?? EncodeOptions())
    }

    /// The first frame as bytes in `format`.
    func stillData(as format: EncodedFormat, options: EncodeOptions) throws(CodecError) -> Data {
        Data(try codecs.encode(bitmapForEncoding(), as: format, options: options))
    }

    /// All frames as bytes in `format`; frames that are not decoded yet are decoded one at a time.
    func animationData(as format: EncodedFormat, options: EncodeOptions) throws(CodecError) -> Data {
        Data(try codecs.encode(frames: framesForEncoding(), as: format, options: options))
    }

    private func bitmapForEncoding() throws(CodecError) -> Bitmap {
        if let encoded, encoded.info.hasAlpha { return try encoded.decode(keepsStraightAlpha: true) }
        return try bitmap()
    }

    private func framesForEncoding() throws(CodecError) -> any FrameDecoder {
        if let encoded, encoded.info.orientation == .up {
            return try encoded.frames(keepsStraightAlpha: true)
        }
        if let animation { return ImageFrames(self, animation) }
        if let source = kf.frameSource { return ImageFrames(self, source.copy()) }
        let info = ImageInfo(format: .png, size: pixelSize)
        return FrameList([AnimationFrame(bitmap: try bitmap(), duration: 0)], info: info)
    }
}

extension EncodedFormat {
    /// Whether no ``EncodeOptions`` make a difference to bytes that are in it already.
    fileprivate var hasNoOptions: Bool { self == .png || self == .gif }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image, of an animation the first frame, as PNG; nil if it can't be decoded.
    ///
    /// The bytes that a PNG was made from are returned as they are.
    public func pngRepresentation() -> Data? {
        if let encoded = base.encoded, encoded.info.format == .png { return encoded.data }
        return try? base.stillData(as: .png, options: EncodeOptions())
    }

    /// The image as JPEG, or nil if it can't be decoded; transparent parts become white.
    ///
    /// The quality is from 0 (smallest) to 1 (best); at 1 an unchanged JPEG is returned as it is.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        data(format: .JPEG, compressionQuality: compressionQuality)
    }

    /// The image as GIF, animated if it is; nil if it can't be decoded.
    ///
    /// The bytes that a GIF was made from are returned as they are. Otherwise each frame gets the 256 colours that suit
    /// it best.
    public func gifRepresentation() -> Data? { try? base.data(as: .gif) }

    /// The image in a format; nil if it can't be decoded or written.
    ///
    /// If the format is unknown, the bytes of an animation, or else PNG. The quality counts for a lossy format and is
    /// from 0 to 1; at 1 an unchanged image in the format is returned as it is.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        switch format {
        case .PNG: return pngRepresentation()
        case .GIF: return gifRepresentation()
        case .unknown: return animatedImageData ?? pngRepresentation()
        case .JPEG:
            let isBestAlready = compressionQuality >= 1 && base.info?.format == .jpeg
            let options = EncodeOptions { $0.quality = Double(compressionQuality) }
            return try? base.data(as: .jpeg, options: isBestAlready ? nil : options)
        }
    }
}
