import AlcedoPixels

/// The text chunk in which ImageMagick, ExifTool and others keep EXIF in a PNG, from the time before `eXIf` was
/// standardised.
///
/// Its keyword is `Raw profile type exif`, or `APP1`. Its text has a line with the name of the type, one with the
/// number of bytes, and the bytes in hexadecimal. It may be in `tEXt`, `zTXt` and `iTXt` chunks.
struct PNGRawProfile {
    /// The text without what precedes it in the chunk, and whether it is compressed.
    private let text: [UInt8]
    private let isCompressed: Bool

    /// The most such texts of a file that are read, for the first with EXIF.
    static let mostTexts = 4

    /// The most bytes of a profile: as many as fit into a JPEG.
    private static let mostBytes = 65_533

    /// The most bytes of text: two digits for a byte, in short lines.
    private static let mostText = mostBytes * 5 / 2

    /// The most bytes of a chunk that is read.
    static let mostChunk = mostText + 256

    /// What may have EXIF; `APP1` may be XMP.
    static let exifKeywords: [StaticString] = ["Raw profile type exif\0", "Raw profile type APP1\0"]

    /// What has other metadata.
    static let otherKeywords: [StaticString] = [
        "Raw profile type iptc\0", "Raw profile type 8bim\0", "Raw profile type xmp\0",
    ]

    /// Nil unless `chunk`, which is complete, is a text with one of these keywords.
    init?(_ bytes: RawSpan, _ chunk: Range<Int>, keywords: [StaticString] = exifKeywords) {
        let body = chunk.dropFirst(8).dropLast(4)
        let keyword = keywords.first { bytes.has($0, at: body.lowerBound) }
        guard let keyword, keyword.utf8CodeUnitCount <= body.count else { return nil }
        var rest = body.dropFirst(keyword.utf8CodeUnitCount)
        switch bytes.u32BE(chunk.lowerBound + 4) {
        case PNGHeader.text: isCompressed = false
        case PNGHeader.ztxt:
            guard rest.count > 1, bytes.u8(rest.lowerBound) == 0 else { return nil }
            (isCompressed, rest) = (true, rest.dropFirst())
        case PNGHeader.itxt:
            // Whether it is compressed, and how, then two texts of any length.
            guard rest.count > 4, bytes.u8(rest.lowerBound + 1) == 0 else { return nil }
            isCompressed = bytes.u8(rest.lowerBound) == 1
            rest = rest.dropFirst(2)
            for _ in 0..<2 {
                guard let end = rest.first(where: { bytes.u8($0) == 0 }) else { return nil }
                rest = end + 1..<rest.upperBound
            }
        default: return nil
        }
        guard rest.count <= Self.mostText else { return nil }
        text = bytes.copy(rest)
    }

    /// The TIFF structure, without `Exif\0\0` in front; nil if it is damaged or too long, or something else,
    /// as `APP1` may be XMP.
    var exif: [UInt8]? {
        profile.flatMap { TIFFOrder($0.span.bytes) == nil ? nil : $0 }
    }

    /// The profile without what is in front of it in a JPEG; nil if it is damaged or too long.
    var profile: [UInt8]? {
        let text = isCompressed ? TextInflater.inflated(text, limit: Self.mostText) : text
        guard let profile = text.flatMap(Self.profile) else { return nil }
        let marks: [StaticString] = ["Exif\0\0", MetadataBlocks.xmpMark, MetadataBlocks.resourcesMark]
        let mark = marks.first { profile.span.bytes.has($0, at: 0) }
        return Array(profile.dropFirst(mark?.utf8CodeUnitCount ?? 0))
    }

    private static func profile(_ text: [UInt8]) -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        // After the first line break, the name of the type.
        guard let start = text.firstIndex(of: newline),
            let name = text[(start + 1)...].firstIndex(of: newline),
            let number = text[(name + 1)...].firstIndex(of: newline),
            let count = Int(String(decoding: text[(name + 1)..<number].drop { $0 == 0x20 }, as: UTF8.self)),
            (1...mostBytes).contains(count)
        else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(count)
        var high: UInt8?
        for byte in text[(number + 1)...] where profile.count < count {
            guard let digit = digit(byte) else {
                if byte == newline || byte == 0x20 || byte == 0x0D { continue }
                return nil
            }
            if let first = high {
                profile.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return profile.count == count ? profile : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
