import AlcedoCodecs
public import Foundation

extension Image {
    /// Encodes the image in `format`; an animation stays animated if the format supports that.
    ///
    /// Returns the original bytes unchanged if they still describe the image and are in `format`, unless `options`
    /// are given. A PNG or GIF without ``EncodeOptions/depth`` and ``EncodeOptions/target`` has no options but
    /// ``EncodeOptions/metadata``, by which its metadata is replaced.
    /// Otherwise decodes the bytes without premultiplying, so conversion between lossless formats is exact.
    ///
    /// - Parameters:
    ///   - format: the target format.
    ///   - options: encoder options; nil stands for the default ``EncodeOptions`` if the image has to be encoded.
    /// - Returns: the file's content.
    /// - Throws: ``CodecError`` if no codec encodes the format, the image's own bytes are damaged, or no quality reaches
    ///   the ``EncodeOptions/target``.
    public func data(as format: EncodedFormat, options: EncodeOptions? = nil) throws(CodecError) -> Data {
        if let encoded, encoded.info.format == format,
            options == nil || format.hasNoOptions && options?.depth == nil && options?.target == nil
        {
            guard let options, format != .gif else { return encoded.data }
            // A file whose end is missing is written anew.
            if let data = try? dataReplacingMetadata(keeping: options.metadata) { return data }
        }
        return try newData(as: format, options: options ?? EncodeOptions())
    }

    /// As ``data(as:options:)``, but always encoded again.
    func newData(as format: EncodedFormat, options: EncodeOptions) throws(CodecError) -> Data {
        if frameCount > 1, codecs.codec(animating: format) != nil {
            return try animationData(as: format, options: options)
        }
        return try stillData(as: format, options: options)
    }

    fileprivate func stillData(as format: EncodedFormat, options: EncodeOptions) throws(CodecError) -> Data {
        let bitmap = try bitmapForEncoding()
        let metadata = try keptMetadata(format, options, of: bitmap)
        return try Data(
            codecs.encode(bitmap, as: format, options: options) {
                metadata?.embedded(in: $0, format: format) ?? $0
            })
    }

    /// Encodes all frames in `format`; frames that are not decoded yet are decoded one at a time.
    func animationData(as format: EncodedFormat, options: EncodeOptions) throws(CodecError) -> Data {
        let metadata = try keptMetadata(format, options, of: nil)
        return try Data(
            codecs.encode(frames: framesForEncoding(), as: format, options: options) {
                metadata?.embedded(in: $0, format: format) ?? $0
            })
    }

    /// What a file in `format` keeps, of the pixels of a still image; nil for nothing.
    private func keptMetadata(
        _ format: EncodedFormat, _ options: EncodeOptions, of bitmap: Bitmap?
    ) throws(CodecError) -> MetadataBlocks? {
        guard options.metadata != .none, MetadataBlocks.formats.contains(format) else { return nil }
        var blocks = metadataBlocks
        if format == .jpeg, options.metadata.keepsGainMap, let encoded, let bitmap {
            blocks.gainMap = try encoded.gainMap(for: bitmap)
        }
        return blocks.kept(by: options.metadata, orientation: .up).sized(bitmap?.size ?? pixelSize)
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
    /// Whether the format supports none of the ``EncodeOptions``, so re-encoding has no effect.
    fileprivate var hasNoOptions: Bool { self == .png || self == .gif }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image, or the first frame of an animation, as PNG; nil if it cannot be decoded.
    ///
    /// Returns the original bytes of a PNG unchanged.
    public func pngRepresentation() -> Data? {
        if let encoded = base.encoded, encoded.info.format == .png { return encoded.data }
        return try? base.stillData(as: .png, options: EncodeOptions(metadata: base.keptMetadata))
    }

    /// The image as JPEG; nil if it cannot be decoded; transparent parts become white.
    ///
    /// The quality is from 0 (smallest) to 1 (best); at 1, the original bytes of a JPEG are returned unchanged.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        data(format: .JPEG, compressionQuality: compressionQuality)
    }

    /// The image as GIF, animated if the image is; nil if it cannot be decoded.
    ///
    /// Returns the original bytes of a GIF unchanged. Otherwise each frame gets its own optimised palette of 256
    /// colours.
    public func gifRepresentation() -> Data? { try? base.data(as: .gif) }

    /// Encodes the image in a format; nil if it cannot be decoded or encoded.
    ///
    /// For `.unknown`, returns the original data of an animation, or else PNG. The quality, from 0 to 1, applies to
    /// lossy formats; at 1, original bytes in the format are returned unchanged.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        data(format: format, quality: Double(compressionQuality), effort: .normal)
    }

    func data(format: ImageFormat, quality: Double, effort: EncodeEffort) -> Data? {
        switch format {
        case .PNG: return pngRepresentation()
        case .GIF: return gifRepresentation()
        case .unknown: return animatedImageData ?? pngRepresentation()
        case .JPEG:
            let returnsOriginal = quality >= 1 && base.info?.format == .jpeg
            let options = EncodeOptions {
                ($0.quality, $0.metadata, $0.effort) = (quality, base.keptMetadata, effort)
            }
            return try? base.data(as: .jpeg, options: returnsOriginal ? nil : options)
        }
    }
}
