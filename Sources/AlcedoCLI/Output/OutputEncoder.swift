import Alcedo
import AlcedoCodecs
import Foundation

/// Encodes the output of `get` and `strip`.
struct OutputEncoder: Sendable {
    /// The format to write; nil for the image's own.
    let format: EncodedFormat?

    /// From 0 to 1; nil keeps the pixels of an image that nothing changes.
    let quality: Double?

    /// What files have to reach; nil for nothing.
    let target: EncodeTarget?

    /// What to keep of the metadata; nil for all of an image that nothing changes, and the copyright of others.
    let metadata: MetadataPolicy?

    /// The colours of files; those that the image has by default.
    let colors: ColorOptions

    /// Whether the image may be a processor's result that comes from the cache.
    let isProcessed: Bool

    private static let lossyFormats: Set<EncodedFormat> = [.jpeg, .webp, .jxl, .avif, .heic]

    /// The bytes to write; decodes all pixels first.
    func encode(_ image: Image, original: Data?, limits: DecodeLimits) throws -> (Data, EncodedFormat) {
        let (data, format) = try file(of: image, original: original, limits: limits)
        if case .size(let count, _) = target, data.count > count {
            throw Failure(
                "the \(format) has \(data.count) bytes, more than --max-bytes; choose a format with a quality"
            )
        }
        return (data, format)
    }

    private func file(
        of image: Image, original: Data?, limits: DecodeLimits
    ) throws -> (Data, EncodedFormat) {
        _ = try image.bitmap()
        // A processed image has no format of its own.
        if let own = image.info?.format, format == nil || format == own,
            quality == nil && !hasSimilarity || !Self.lossyFormats.contains(own),
            colors.depth == nil
        {
            let data = try unchanged(image, own)
            guard !fits(data), Self.lossyFormats.contains(own) else { return (data, own) }
        }
        let options = EncodeOptions {
            if let quality { $0.quality = quality }
            $0.metadata = metadata ?? .copyright
            ($0.depth, $0.target) = (colors.depth, target)
        }
        if let format { return (try self.data(of: image, as: format, options), format) }
        guard let data = DefaultCacheSerializer.default.data(with: image, original: original),
            let format = try? Image(decoding: data, limits: limits).info?.format
        else { throw Failure("the image cannot be encoded") }
        let isLossy = Self.lossyFormats.contains(format) && codecs.codec(writing: format) != nil
        let isEncoded = (quality != nil || hasSimilarity || !fits(data)) && isLossy
        guard colors.depth != nil || isEncoded else {
            try colors.check(format, isAnimated: image.frameCount > 1)
            return (data, format)
        }
        return (try self.data(of: image, as: format, options), format)
    }

    private var hasSimilarity: Bool {
        if case .quality = target { true } else { false }
    }

    /// Whether bytes are few enough for the target.
    private func fits(_ data: Data) -> Bool {
        if case .size(let count, _) = target { data.count <= count } else { true }
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
