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
            let metadata = MetadataBlocks(exif: bytes, xmp: bytes, iptc: bytes)
            precondition(metadata.upright.exif?.count == bytes.count)
            precondition(metadata.upright.xmp?.count == bytes.count)
            let kept = metadata.kept(by: .copyright)
            precondition(kept.kept(by: .copyright) == kept)
            check(metadata.kept(by: .allButLocation))
            for orientation in ImageOrientation.allCases {
                let turned = metadata.kept(by: .copyright, orientation: orientation).exif ?? []
                precondition(EXIF.orientation(in: turned.span.bytes, at: 0..<turned.count) == orientation)
            }
            let limit = 1 << 10
            for format in MetadataBlocks.formats {
                let found = MetadataBlocks(of: bytes.span.bytes, format: format, limit: limit)
                precondition(found == MetadataBlocks(of: bytes.span.bytes, format: format, limit: limit))
                for block in [found.xmp, found.xmpExtension, found.iptc] {
                    precondition((block?.count ?? 0) <= limit)
                }
                // The directories of a TIFF are written anew.
                precondition((found.exif?.count ?? 0) <= limit + 1 << 15)
            }
        }

        /// Nothing says where.
        private static func check(_ kept: MetadataBlocks) {
            let metadata = ImageMetadata(kept)
            precondition(metadata.location == nil)
            if let exif = kept.exif {
                precondition(EXIF.thumbnail(in: exif.span.bytes, at: 0..<exif.count) == nil)
            }
            if let xmp = kept.xmp { precondition(XMPDocument(xmp) != nil, "not well-formed any more") }
        }
    }

    /// Files with metadata, which is read in whole and in parts, and replaced.
    enum MetadataFileFuzz {
        static func run(_ bytes: [UInt8]) {
            let found = ImageMetadata(of: bytes.span.bytes)
            let source = MetadataSource(bytes)
            precondition(found == ImageMetadata(reading: source, limits: DecodeLimits()))
            guard let found, let format = MetadataReader.format(of: source) else { return }
            if let location = found.location {
                precondition(abs(location.latitude) <= 90 && abs(location.longitude) <= 180)
            }
            precondition(found.keywords.count <= 1024 && found.creators.count <= 1024)
            _ = found.date?.description
            if let bare = MetadataBlocks().replacing(in: bytes, format: format) {
                let rest = MetadataBlocks(of: bare.span.bytes, format: format, limit: 1 << 22)
                precondition(rest == MetadataBlocks(), "metadata is left")
                precondition(bare.count <= bytes.count + 64)
            }
            var new = MetadataBlocks(iptc: [0x1C, 2, 116, 0, 1, 0x43]).kept(by: .copyright)
            new.xmp = Array("<x/>".utf8)
            _ = new.replacing(in: bytes, format: format)
            _ = new.embedded(in: bytes, format: format)
        }
    }

    /// A TIFF structure of EXIF, read and changed.
    enum EXIFFuzz {
        static func run(_ bytes: [UInt8]) {
            let orientation = Self.orientation(bytes)
            precondition(orientation == Self.orientation(bytes))
            for count in [bytes.count / 2, bytes.count - 1] where count >= 0 {
                let first = Self.orientation(Array(bytes.prefix(count)))
                precondition(first == orientation || first == .up, "a part says what the whole does not")
            }
            if let thumbnail = EXIF.thumbnail(in: bytes.span.bytes, at: 0..<bytes.count) {
                precondition(thumbnail.lowerBound >= 0 && thumbnail.upperBound <= bytes.count)
            }
            guard !bytes.starts(with: "Exif\0\0".utf8) else { return }
            let upright = EXIF.upright(bytes)
            precondition(upright.count == bytes.count && Self.orientation(upright) == .up)
            precondition(EXIF.upright(upright) == upright)
            let bare = EXIF.withoutThumbnail(bytes)
            precondition(bare.count == bytes.count)
            precondition(EXIF.thumbnail(in: bare.span.bytes, at: 0..<bare.count) == nil)
            precondition(Self.orientation(bare) == orientation)
            if let copyright = EXIF.copyright(of: bytes) {
                precondition(EXIF.copyright(of: copyright) == copyright)
                precondition(Self.orientation(copyright) == .up)
                precondition(copyright.count <= 2 * bytes.count + 64, "more than there was")
            }
        }

        private static func orientation(_ bytes: [UInt8]) -> ImageOrientation {
            EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
        }
    }

    /// XMP, in which only the digits of orientations change.
    enum XMPFuzz {
        static func run(_ bytes: [UInt8]) {
            let upright = MetadataBlocks(xmp: bytes).upright
            precondition(upright.upright == upright)
            for (old, new) in zip(bytes, upright.xmp ?? []) where old != new {
                precondition(
                    (UInt8(ascii: "1")...UInt8(ascii: "8")).contains(old) && new == UInt8(ascii: "1"))
            }
            roundTrip(bytes)
        }

        /// What is written into a file is read out of it.
        private static func roundTrip(_ bytes: [UInt8]) {
            let part = bytes.count / 3
            guard (1...20_000).contains(part), !bytes.starts(with: "Exif\0\0".utf8) else { return }
            let metadata = MetadataBlocks(
                exif: Array(bytes[..<part]), xmp: Array(bytes[part..<2 * part]),
                iptc: Array(bytes[(2 * part)...]))
            let jpeg = metadata.embedded(in: [0xFF, 0xD8, 0xFF, 0xDA, 0, 2], format: .jpeg)
            precondition(MetadataBlocks(of: jpeg.span.bytes, format: .jpeg, limit: 1 << 16) == metadata)
            let header = Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) })
            let empty = header + [0, 0, 0, 13] + Array("IHDR".utf8) + [UInt8](repeating: 1, count: 17)
            let end = [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0]
            let png = metadata.embedded(in: empty + end, format: .png)
            let found = MetadataBlocks(of: png.span.bytes, format: .png, limit: 1 << 16)
            precondition(found.exif == metadata.exif && found.xmp == metadata.xmp)
        }
    }

    /// A raw profile in a PNG's text, and its compression; the first byte selects the kind of text.
    enum PNGTextFuzz {
        static func run(_ bytes: [UInt8]) {
            guard let first = bytes.first else { return }
            let rest = Array(bytes.dropFirst())
            let kind = ["tEXt", "zTXt", "iTXt"][Int(first) % 3]
            let name = ["exif", "APP1"][Int(first) / 3 % 2]
            let body = Array("\(kind)Raw profile type \(name)\0".utf8) + rest
            let chunk = [0, 0, 0, 0] + body + [0, 0, 0, 0]
            let exif = PNGRawProfile(chunk.span.bytes, 0..<chunk.count)?.exif
            precondition(exif == PNGRawProfile(chunk.span.bytes, 0..<chunk.count)?.exif)
            if let exif {
                precondition(exif.count <= 65_533 && TIFFOrder(exif.span.bytes) != nil)
            }
            for limit in [100, 1 << 14] {
                guard let text = TextInflater.inflated(rest, limit: limit) else { continue }
                precondition(text.count <= limit)
                precondition(
                    text == TextInflater.inflated(rest, limit: 2 * limit), "other bytes within a limit")
            }
        }
    }

    /// The marker segments of a JPEG.
    enum JPEGMarkerFuzz {
        static func run(_ bytes: [UInt8]) {
            let span = bytes.span.bytes
            guard let header = try? JPEGHeader(span) else { return }
            let again = try? JPEGHeader(span)
            precondition(again?.size == header.size && again?.coefficients == header.coefficients)
            precondition(again?.orientation == header.orientation && again?.thumbnail == header.thumbnail)
            precondition(header.coefficients >= 0 && header.coefficientBytes >= header.coefficients)
            // Sampling factors may leave out all but a 16th of a component's samples.
            precondition(header.coefficients == 0 || header.size.area <= 16 * header.coefficients)
            if let thumbnail = header.thumbnail {
                precondition(thumbnail.lowerBound >= 0 && thumbnail.upperBound <= bytes.count)
            }
            let limit = 1 << 12
            let profile = header.profile(in: span, limit: limit)
            precondition((profile?.count ?? 0) <= min(limit, bytes.count))
            for count in [bytes.count / 2, bytes.count - 1] {
                guard let first = try? JPEGHeader(bytes.span.extracting(0..<count).bytes) else { continue }
                precondition(first.orientation == header.orientation || first.orientation == .up)
                precondition(first.size == header.size || first.size.isEmpty)
            }
        }
    }

    /// The pictures of a file, each of which is a file that has one again, or at most as many.
    enum PagesFuzz {
        static func run(_ bytes: [UInt8]) {
            for format in [EncodedFormat.tiff, .ico, .heic] {
                guard let pages = FilePages(bytes.span.bytes, format: format) else { continue }
                precondition(pages.count > 1)
                for index in [0, pages.count - 1] {
                    let file = pages.file(at: index, of: bytes.span.bytes)
                    precondition(format == .ico ? file.count <= bytes.count + 22 : file.count == bytes.count)
                }
            }
        }
    }
#endif
