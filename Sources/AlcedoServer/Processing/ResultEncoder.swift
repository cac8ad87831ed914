import AlcedoCodecs
import AlcedoPixels
import Foundation

/// Encodes results at the quality, and within the bytes, that options ask for.
struct ResultEncoder {
    let format: EncodedFormat
    let options: ProcessingOptions

    /// The metadata of the files.
    let metadata: MetadataBlocks

    /// The profile of the pixels; sRGB for nil.
    var profile: [UInt8]?

    /// The default quality of formats that no option and no setting names.
    private static let usualQuality = 80

    /// From 1 to 100.
    var quality: Int {
        if options.quality > 0 { return min(options.quality, 100) }
        let ofFormat = options.formatQuality[format] ?? 0
        return ofFormat > 0 ? min(ofFormat, 100) : Self.usualQuality
    }

    /// The bytes; lossy formats are written again with less quality while there are too many.
    func encode(_ write: (EncodeOptions) throws(CodecError) -> [UInt8]) throws(CodecError) -> Data {
        var quality = quality
        while true {
            let pixels = try write(
                EncodeOptions {
                    ($0.quality, $0.profile, $0.favorsSize) = (Double(quality) / 100, profile, true)
                })
            let bytes = metadata.embedded(in: pixels, format: format)
            let isSmall = options.maxBytes <= 0 || bytes.count <= options.maxBytes
            guard !isSmall, format.isLossy, quality > 10 else { return Data(bytes) }
            let excess = Double(bytes.count) / Double(options.maxBytes)
            quality = Int(Double(quality) * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75))
        }
    }
}
