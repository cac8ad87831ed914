import Alcedo
import Foundation

/// Encodes the output of `get`.
struct OutputEncoder: Sendable {
    /// The format to write; nil for the image's own.
    let format: EncodedFormat?

    /// From 0 to 1; nil keeps the bytes of an image that nothing changes.
    let quality: Double?

    /// The bytes to write; decodes all pixels first.
    func encode(_ image: Image, original: Data?, limits: DecodeLimits) throws -> (Data, EncodedFormat) {
        _ = try image.bitmap()
        let options = quality.map { quality in EncodeOptions { $0.quality = quality } }
        if let format { return (try image.data(as: format, options: options), format) }
        guard let data = DefaultCacheSerializer.default.data(with: image, original: original),
            let format = try? Image(decoding: data, limits: limits).info?.format
        else { throw Failure("the image cannot be encoded") }
        guard let options, [.jpeg, .webp, .jxl, .avif, .heic].contains(format),
            codecs.codec(writing: format) != nil
        else { return (data, format) }
        return (try image.data(as: format, options: options), format)
    }
}
