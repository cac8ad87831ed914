import AlcedoCodecs
import AlcedoPixels
import Foundation

/// Encodes results at the quality, or for the target and within the bytes, that options ask for.
struct ResultEncoder {
    let format: EncodedFormat
    let options: ProcessingOptions

    /// Pixels of a result.
    let area: Int

    /// The metadata of the files.
    var metadata: MetadataBlocks

    /// The profile of the pixels; sRGB for nil.
    var profile: [UInt8]?

    /// The bits of a channel; nil for what the pixels and the format have.
    var depth: Int?

    /// The default quality of formats that no option and no setting names.
    private static let usualQuality = 80

    /// The lowest quality to which ``ProcessingOptions/maxBytes`` leads.
    private static let leastQuality = 0.1

    typealias Writer = (EncodeOptions) throws(CodecError) -> [UInt8]

    /// From 0.01 to 1.
    private var quality: Double {
        if options.quality > 0 { return Double(min(options.quality, 100)) / 100 }
        let ofFormat = options.formatQuality[format] ?? 0
        return Double(ofFormat > 0 ? min(ofFormat, 100) : Self.usualQuality) / 100
    }

    /// The bytes of a still picture, or of an animation, for which `bitmap` is nil.
    func encode(_ bitmap: Bitmap?, _ write: Writer) throws(CodecError) -> Data {
        let automatic = try automatic(bitmap, write)
        let most = automatic?.quality ?? quality
        if let file = automatic?.file, options.maxBytes <= 0 || file.count <= options.maxBytes {
            return Data(file)
        }
        guard options.maxBytes > 0 else { return Data(try file(most, write)) }
        // If even the coarsest has more, it is sent all the same: a picture is better than none.
        var encoding = encoding(most)
        // No animation is nearly lossless.
        if bitmap == nil { encoding.tuning.isNearLossless = false }
        let search = QualitySearch(min(Self.leastQuality, most)...most, format, encoding)
        return Data(
            try search.largest(within: options.maxBytes) { quality throws(CodecError) in
                try file(quality, write)
            }.file)
    }

    /// The file of the quality that ``AutoQuality`` finds; nil if it does not apply.
    private func automatic(_ bitmap: Bitmap?, _ write: Writer) throws(CodecError) -> QualitySearch.Found? {
        let wanted = options.autoQuality
        let isSmall = wanted.maxResolution <= 0 || Double(area) <= wanted.maxResolution * 1_000_000
        guard wanted.method != .none, isSmall, format.hasQuality, !encoding(1).isLossless else { return nil }
        let search = QualitySearch(wanted.qualities(of: format), format, encoding(1))
        if wanted.method == .size {
            return try search.largest(within: Int(wanted.target ?? 0)) { quality throws(CodecError) in
                try file(quality, write)
            }
        }
        guard let bitmap, let (ssim, tolerance) = wanted.ssim else { return nil }
        var found = try search.smallest(
            like: bitmap, ssim: ssim, tolerance: tolerance, readingWith: .shared
        ) { quality throws(CodecError) in
            // The same pixels as of the result, sooner, and without a profile to convert them from.
            var options = encoding(quality)
            (options.effort, options.profile) = (.normal, nil)
            return try write(options)
        }
        found.file = try file(found.quality, write)
        return found
    }

    private func file(_ quality: Double, _ write: Writer) throws(CodecError) -> [UInt8] {
        metadata.embedded(in: try write(encoding(quality)), format: format)
    }

    private func encoding(_ quality: Double) -> EncodeOptions {
        var encoding = EncodeOptions(quality: quality)
        (encoding.profile, encoding.effort, encoding.depth) = (profile, .small, depth)
        options.encoding.configure(&encoding, for: format)
        return encoding
    }
}
