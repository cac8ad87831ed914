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

    /// EXIF and colour profiles by themselves, as they come out of any container.
    enum MetadataFuzz {
        static func run(_ bytes: [UInt8]) {
            _ = EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
            _ = ICCProfile.description(of: bytes)
            for layout in [ColorLayout.bgra, .rgba, .grey, .invertedCMYK] {
                guard let transform = ColorTransform.toSRGB(from: bytes, layout: layout) else { continue }
                var pixels: [UInt32] = [0, 0xFFFF_FFFF, 0x8040_2010, 0x0102_0304]
                pixels.withUnsafeMutableBytes { buffer in
                    transform.apply(to: PixelRows(buffer, PixelSize(width: 4, height: 1)))
                }
            }
        }
    }
#endif
