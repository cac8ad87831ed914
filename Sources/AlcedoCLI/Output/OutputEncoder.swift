import Alcedo
import AlcedoCodecs
import Foundation

/// Encodes the output of `get` and `strip`.
struct OutputEncoder: Sendable {
    /// The format to write; nil for the image's own.
    let format: EncodedFormat?

    /// From 0 to 1; nil keeps the pixels of an image that nothing changes.
    let quality: Double?

    /// What to keep of the metadata; nil for all of an image that nothing changes, and the copyright of others.
    let metadata: MetadataPolicy?

    /// The colours of files; those that the image has by default.
    let colors: ColorOptions

    /// Whether the image may be a processor's result that comes from the cache.
    let isProcessed: Bool

    private static let lossyFormats: Set<EncodedFormat> = [.jpeg, .webp, .jxl, .avif, .heic]

    /// The bytes to write; decodes all pixels first.
    func encode(_ image: Image, original: Data?, limits: DecodeLimits) throws -> (Data, EncodedFormat) {
        _ = try image.bitmap()
        // A processed image has no format of its own.
        if let own = image.info?.format, format == nil || format == own,
            quality == nil || !Self.lossyFormats.contains(own), colors.depth == nil
        {
            return (try unchanged(image, own), own)
        }
        let options = EncodeOptions {
            if let quality { $0.quality = quality }
            $0.metadata = metadata ?? .copyright
            $0.depth = colors.depth
        }
        if let format { return (try self.data(of: image, as: format, options), format) }
        guard let data = DefaultCacheSerializer.default.data(with: image, original: original),
            let format = try? Image(decoding: data, limits: limits).info?.format
        else { throw Failure("the image cannot be encoded") }
        let isLossy = Self.lossyFormats.contains(format) && codecs.codec(writing: format) != nil
        guard colors.depth != nil || quality != nil && isLossy else {
            try colors.check(format, isAnimated: image.frameCount > 1)
            return (data, format)
        }
        return (try self.data(of: image, as: format, options), format)
    }

    private func data(
        of image: Image, as format: EncodedFormat, _ options: EncodeOptions
    ) throws -> Data {
        let isAnimated = image.frameCount > 1 && codecs.codec(animating: format) != nil
        try colors.check(format, isAnimated: isAnimated)
        return try image.data(as: format, options: options)
    }

    /// The image's own bytes, with other metadata if that is wanted.
    private func unchanged(_ image: Image, _ format: EncodedFormat) throws -> Data {
        guard let metadata, metadata != .all else { return try image.data(as: format) }
        guard MetadataBlocks.replaceableFormats.contains(format) else {
            // What this command has written has none that it can't find.
            if isProcessed, image.metadata?.blocks.isEmpty ?? true { return try image.data(as: format) }
            throw Failure(
                "the metadata of a \(format) cannot be removed without decoding it; "
                    + "convert it with alcedo get --format, or process it")
        }
        return try image.dataReplacingMetadata(keeping: metadata)
    }
}
