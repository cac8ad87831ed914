#if DEBUG || FUZZ
    @testable import Alcedo
    @testable import AlcedoCodecs
    import AlcedoPixels
    import Foundation

    /// The signature checks of all codecs.
    enum SnifferFuzz {
        static func run(_ bytes: [UInt8]) {
            let span = bytes.span.bytes
            guard let codec = codecs.codec(for: span) else { return }
            precondition(codec.format(of: span) != nil)
            let limits = DecoderFuzz<PNGCodec>.limits
            _ = try? codec.info(of: span, limits: limits)
            _ = Data(bytes).encodedFormat
        }
    }

    /// EXIF data without a container.
    enum MetadataFuzz {
        static func run(_ bytes: [UInt8]) {
            _ = EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
        }
    }
#endif
