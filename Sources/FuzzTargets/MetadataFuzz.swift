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

    /// EXIF and XMP data without a container, and files with metadata.
    enum MetadataFuzz {
        static func run(_ bytes: [UInt8]) {
            _ = EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
            let metadata = ImageMetadata(exif: bytes, xmp: bytes)
            precondition(metadata.upright.exif?.count == bytes.count)
            precondition(metadata.upright.xmp?.count == bytes.count)
            let kept = metadata.copyright
            precondition(kept.copyright == kept)
            for format in [EncodedFormat.jpeg, .png, .webp] {
                _ = ImageMetadata(of: bytes.span.bytes, format: format, limit: 1 << 16)
            }
        }
    }
#endif
