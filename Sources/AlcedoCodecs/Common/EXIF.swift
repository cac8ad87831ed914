import AlcedoPixels

/// Reads the orientation and the thumbnail from EXIF metadata, which affect pixels.
enum EXIF {
    /// The orientation in the first directory of a TIFF structure; `.up` if there is none.
    ///
    /// The structure fills `range`, which must be within bounds; the six bytes `Exif\0\0` may precede it.
    static func orientation(in bytes: RawSpan, at range: Range<Int>) -> ImageOrientation {
        let tiff = bytes.extracting(start(in: bytes, range)..<range.upperBound)
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4) else { return .up }
        return order.value(of: orientationTag, tiff, directory).flatMap(ImageOrientation.init(rawValue:))
            ?? .up
    }

    /// Where the JPEG thumbnail of the second directory is, inside `range`; nil if there is none.
    ///
    /// The structure is as for ``orientation(in:at:)``. The bytes of the thumbnail are not looked at.
    static func thumbnail(in bytes: RawSpan, at range: Range<Int>) -> Range<Int>? {
        let start = start(in: bytes, range)
        let tiff = bytes.extracting(start..<range.upperBound)
        guard let order = TIFFOrder(tiff), let first = order.u32(tiff, 4),
            let second = order.next(after: first, tiff), second > 0,
            let offset = order.value(of: thumbnailTag, tiff, second),
            let length = order.value(of: thumbnailLengthTag, tiff, second),
            length > 0, offset + length <= tiff.byteCount
        else { return nil }
        return (start + offset)..<(start + offset + length)
    }

    private static let orientationTag = 0x0112
    private static let thumbnailTag = 0x0201
    private static let thumbnailLengthTag = 0x0202

    private static func start(in bytes: RawSpan, _ range: Range<Int>) -> Int {
        let hasMark = range.count >= 6 && bytes.has("Exif\0\0", at: range.lowerBound)
        return range.lowerBound + (hasMark ? 6 : 0)
    }
}

/// Reads a TIFF structure in its byte order.
struct TIFFOrder {
    let isBig: Bool

    /// Byte counts of the integer types: BYTE, SHORT, LONG, SSHORT and SLONG.
    ///
    /// The standard requires SHORT for the orientation; most programs accept the others.
    private static let byteCounts = [1: 1, 3: 2, 4: 4, 8: 2, 9: 4]

    /// Nil if `tiff` does not start with a byte order.
    init?(_ tiff: RawSpan) {
        isBig = tiff.has("MM\0*", at: 0)
        guard isBig || tiff.has("II*\0", at: 0) else { return nil }
    }

    func u32(_ tiff: RawSpan, _ offset: Int) -> Int? { isBig ? tiff.u32BE(offset) : tiff.u32LE(offset) }

    /// The bytes before any directory: one inside of them would change the header when it is changed.
    static let headerSize = 8

    /// The offset of the directory after the one at `directory`; 0 after the last one.
    func next(after directory: Int, _ tiff: RawSpan) -> Int? {
        guard directory >= Self.headerSize else { return nil }
        return u16(tiff, directory).flatMap { u32(tiff, directory + 2 + $0 * 12) }
    }

    /// The number of the entry `tag` in a directory.
    func value(of tag: Int, _ tiff: RawSpan, _ directory: Int) -> Int? {
        guard let entry = entry(of: tag, tiff, directory) else { return nil }
        switch byteCount(ofEntry: entry, tiff) {
        case 1: return tiff.u8(entry + 8)
        case 2: return u16(tiff, entry + 8)
        case 4: return u32(tiff, entry + 8)
        default: return nil
        }
    }

    /// Where the entry `tag` of a directory is.
    func entry(of tag: Int, _ tiff: RawSpan, _ directory: Int) -> Int? {
        guard directory >= Self.headerSize, let count = u16(tiff, directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let found = u16(tiff, entry) else { return nil }
            if found == tag { return entry }
        }
        return nil
    }

    /// Bytes of the number in an entry, which follows 8 others; nil if it is none.
    func byteCount(ofEntry entry: Int, _ tiff: RawSpan) -> Int? {
        u16(tiff, entry + 2).flatMap { Self.byteCounts[$0] }
    }

    func u16(_ tiff: RawSpan, _ offset: Int) -> Int? {
        isBig ? tiff.u16BE(offset) : tiff.u16LE(offset)
    }
}

extension EXIF {
    /// A TIFF structure of the artist and the copyright in the first directory of `structure`; nil if it has neither.
    static func copyright(of structure: [UInt8]) -> [UInt8]? {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4) else { return nil }
        let texts = [artistTag, copyrightTag].compactMap { tag in
            order.text(of: tag, tiff, directory).map { (tag: tag, text: $0) }
        }
        guard !texts.isEmpty else { return nil }
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var bytes = Array("II*\0".utf8) + number(8, 4) + number(texts.count, 2)
        // The texts follow the directory, but one of up to four bytes is in its entry.
        var (values, end) = ([UInt8](), 8 + 2 + texts.count * 12 + 4)
        for (tag, text) in texts {
            bytes += number(tag, 2) + number(asciiType, 2) + number(text.count, 4)
            guard text.count > 4 else {
                bytes += text + number(0, 4 - text.count)
                continue
            }
            bytes += number(end, 4)
            // Offsets are even.
            let padded = text + number(0, text.count % 2)
            values += padded
            end += padded.count
        }
        return bytes + number(0, 4) + values
    }

    /// `structure` with an orientation of 1, if it has one.
    static func upright(_ structure: [UInt8]) -> [UInt8] {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4),
            let entry = order.entry(of: orientationTag, tiff, directory),
            let count = order.byteCount(ofEntry: entry, tiff), entry + 8 + count <= structure.count
        else { return structure }
        var changed = structure
        for index in 0..<count { changed[entry + 8 + index] = 0 }
        changed[entry + 8 + (order.isBig ? count - 1 : 0)] = 1
        return changed
    }

    /// `structure` without the directory of its thumbnail, whose bytes become 0, be it a JPEG or not compressed.
    ///
    /// What the thumbnail shares with the structure's head, as only a malicious file's does, stays.
    static func withoutThumbnail(_ structure: [UInt8]) -> [UInt8] {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let first = order.u32(tiff, 4),
            first >= TIFFOrder.headerSize, let count = order.u16(tiff, first),
            first + 2 + count * 12 + 4 <= structure.count
        else { return structure }
        var changed = structure
        let end = first + 2 + count * 12 + 4
        var parts = thumbnail(in: tiff, at: 0..<structure.count).map { [$0] } ?? []
        if let second = order.next(after: first, tiff) { parts += order.strips(tiff, second) }
        // Each byte once: parts may overlap.
        var done = TIFFOrder.headerSize
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            for index in max(done, part.lowerBound)..<max(done, part.upperBound)
            where !(first..<end).contains(index) {
                changed[index] = 0
            }
            done = max(done, part.upperBound)
        }
        for index in 0..<4 { changed[first + 2 + count * 12 + index] = 0 }
        return changed
    }

    /// `structure` with the width and height in pixels that EXIF's directory says, where it does, of `size`.
    static func sized(_ structure: [UInt8], _ size: PixelSize) -> [UInt8] {
        let tiff = structure.span.bytes
        guard let order = TIFFOrder(tiff), let first = order.u32(tiff, 4),
            let directory = order.value(of: EXIFTag.photo, tiff, first)
        else { return structure }
        var changed = structure
        for (tag, pixels) in [(EXIFTag.width, size.width), (EXIFTag.height, size.height)] {
            guard let entry = order.entry(of: tag, tiff, directory),
                let count = order.byteCount(ofEntry: entry, tiff), (1...4).contains(count),
                entry + 8 + count <= structure.count,
                pixels < 1 << (8 * count)
            else { continue }
            for index in 0..<count {
                let shift = 8 * (order.isBig ? count - 1 - index : index)
                changed[entry + 8 + index] = UInt8(truncatingIfNeeded: pixels >> shift)
            }
        }
        return changed
    }

    private static let artistTag = 0x013B
    private static let copyrightTag = 0x8298
    static let asciiType = 2
}

extension TIFFOrder {
    /// The most strips of a thumbnail that are looked for.
    private static let mostStrips = 64

    /// Where the strips of a picture are that is not compressed; those within bounds.
    func strips(_ tiff: RawSpan, _ directory: Int) -> [Range<Int>] {
        guard let starts = numbers(of: 0x0111, tiff, directory),
            let counts = numbers(of: 0x0117, tiff, directory)
        else { return [] }
        return zip(starts, counts).compactMap { start, count in
            start <= tiff.byteCount && count <= tiff.byteCount - start ? start..<start + count : nil
        }
    }

    /// The first numbers of an entry.
    private func numbers(of tag: Int, _ tiff: RawSpan, _ directory: Int) -> [Int]? {
        guard let entry = entry(of: tag, tiff, directory), let type = u16(tiff, entry + 2),
            type == 3 || type == 4,
            let count = u32(tiff, entry + 4)
        else { return nil }
        let width = type == 3 ? 2 : 4
        guard let start = count * width > 4 ? u32(tiff, entry + 8) : entry + 8 else { return nil }
        return (0..<min(count, Self.mostStrips)).compactMap {
            type == 3 ? u16(tiff, start + $0 * width) : u32(tiff, start + $0 * width)
        }
    }

    /// The bytes of the text `tag` in a directory, with the zero at its end.
    func text(of tag: Int, _ tiff: RawSpan, _ directory: Int) -> [UInt8]? {
        guard let entry = entry(of: tag, tiff, directory), u16(tiff, entry + 2) == EXIF.asciiType,
            let count = u32(tiff, entry + 4), count > 1,
            let start = count > 4 ? u32(tiff, entry + 8) : entry + 8,
            start + count <= tiff.byteCount
        else { return nil }
        return tiff.copy(start..<start + count)
    }
}
