#if DEBUG || FUZZ
    @testable import Alcedo
    @testable import AlcedoCodecs
    import AlcedoPixels
    import Foundation

    /// What the first bytes of a file look like, to all codecs together.
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

    /// EXIF by itself, as it comes out of any container.
    enum MetadataFuzz {
        static func run(_ bytes: [UInt8]) {
            _ = EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
        }
    }
#endif
