import AlcedoCodecs
import AlcedoPixels

/// The boxes of an ISO/IEC 14496-12 file.
enum HEIFBoxes {
    /// A box's name and where its content is.
    typealias Box = (kind: Int, content: Range<Int>)

    /// From the brands in the `ftyp` box; the first that means something decides.
    static func format(of bytes: RawSpan) -> EncodedFormat? {
        for brand in brands(of: bytes) {
            switch brand {
            case name("avif"), name("avis"): return .avif
            case name("heic"), name("heix"), name("heim"), name("heis"), name("hevc"), name("hevx"):
                return .heic
            default: continue
            }
        }
        return nil
    }

    /// Whether there may be a track of AV1 pictures.
    static func mayBeAVIFSequence(_ bytes: RawSpan) -> Bool { brands(of: bytes).contains(name("avis")) }

    /// Whether there may be a track of pictures in any coding.
    static func mayBeSequence(_ bytes: RawSpan) -> Bool {
        let sequences = [name("avis"), name("msf1"), name("hevc"), name("hevx")]
        return brands(of: bytes).contains(where: sequences.contains)
    }

    private static func brands(of bytes: RawSpan) -> [Int] {
        guard let length = u32(bytes, 0), u32(bytes, 4) == name("ftyp") else { return [] }
        return ([8] + Array(stride(from: 16, to: min(length, 256), by: 4))).compactMap { u32(bytes, $0) }
    }

    /// Whether a decoder's configuration announces samples of more than 8 bits.
    static func hasDeepSamples(_ bytes: RawSpan, _ format: EncodedFormat) -> Bool {
        let isAVIF = format == .avif
        let wanted = name(isAVIF ? "av1C" : "hvcC")
        for box in all(in: 0..<bytes.byteCount, bytes) where [name("meta"), name("moov")].contains(box.kind) {
            // Properties are before what may be large.
            for offset in box.content.prefix(1 << 20) where u32(bytes, offset) == wanted {
                // `high_bitdepth` (AV1 in ISO base media files, 2.3.3), `bitDepthLumaMinus8` (ISO/IEC 14496-15, 8.3.3.1).
                let isDeep = isAVIF ? (bytes.u8(offset + 6) ?? 0) & 0x40 : (bytes.u8(offset + 21) ?? 0) & 7
                if isDeep != 0 { return true }
            }
        }
        return false
    }

    /// Whether all boxes and items are complete; trailing bytes are ignored.
    static func areComplete(_ bytes: RawSpan) -> Bool {
        var offset = 0
        var found: Set<Int> = []
        while offset < bytes.byteCount, let box = box(bytes, offset), topLevel.contains(box.kind) {
            guard box.content.upperBound <= bytes.byteCount else { return false }
            found.insert(box.kind)
            offset = box.content.upperBound
        }
        if found.contains(name("moov")) {
            guard found.contains(name("mdat")) || offset == bytes.byteCount else { return false }
        } else if !found.contains(name("meta")) {
            return false
        }
        return HEIFItems(bytes).map { $0.end <= bytes.byteCount } ?? true
    }

    /// The top-level boxes of a file (ISO/IEC 14496-12, 6.2.3); others are ignored.
    private static let topLevel: Set = [
        name("ftyp"), name("meta"), name("moov"), name("mdat"), name("free"), name("skip"), name("idat"),
        name("uuid"), name("wide"), name("pdin"), name("moof"), name("mfra"), name("styp"), name("sidx"),
        name("jumb"), name("etyp"),
    ]

    /// The loop count in the edit list of the first track; 0 for infinite, also without an edit list.
    static func loopCount(of bytes: RawSpan) -> Int {
        let whole = 0..<bytes.byteCount
        guard let movie = find("moov", in: whole, bytes), let track = find("trak", in: movie, bytes),
            let edits = find("edts", in: track, bytes), let list = find("elst", in: edits, bytes),
            let header = find("tkhd", in: track, bytes), let flags = u32(bytes, list.lowerBound)
        else { return 0 }
        guard flags & 1 == 1 else { return 1 }
        let isLong = flags >> 24 == 1
        let part = number(bytes, list.lowerBound + 8, isLong: isLong)
        let isLongTrack = (u32(bytes, header.lowerBound) ?? 0) >> 24 == 1
        let all = number(bytes, header.lowerBound + (isLongTrack ? 28 : 20), isLong: isLongTrack)
        guard let part, let all, part > 0, all < .max, isLongTrack || all < UInt64(UInt32.max) else {
            return 0
        }
        return Int(clamping: all / part + (all % part == 0 ? 0 : 1))
    }

    /// The content of the first box of that name; it may reach beyond the bytes.
    static func find(_ wanted: StaticString, in range: Range<Int>, _ bytes: RawSpan) -> Range<Int>? {
        all(in: range, bytes).first { $0.kind == name(wanted) }?.content
    }

    /// The boxes in `range`, up to one that reaches beyond it.
    static func all(in range: Range<Int>, _ bytes: RawSpan) -> [(kind: Int, content: Range<Int>)] {
        var boxes: [(kind: Int, content: Range<Int>)] = []
        var offset = range.lowerBound
        while var box = box(bytes, offset), box.content.lowerBound <= range.upperBound {
            // Without a length it extends to the end of its container.
            if u32(bytes, offset) == 0 { box.content = box.content.lowerBound..<range.upperBound }
            guard box.content.upperBound <= range.upperBound else { break }
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }

    /// The box at `offset`, which may reach beyond the bytes; nil where there is none.
    private static func box(_ bytes: RawSpan, _ offset: Int) -> (kind: Int, content: Range<Int>)? {
        guard let length = u32(bytes, offset), let kind = u32(bytes, offset + 4) else { return nil }
        switch length {
        case 0:
            return (kind, (offset + 8)..<bytes.byteCount)
        case 1:
            guard u32(bytes, offset + 8) == 0, let low = u32(bytes, offset + 12), low >= 16 else {
                return nil
            }
            return (kind, (offset + 16)..<(offset + low))
        case 2..<8: return nil
        default: return (kind, (offset + 8)..<(offset + length))
        }
    }

    static func name(_ text: StaticString) -> Int {
        (0..<text.utf8CodeUnitCount).reduce(0) { $0 << 8 | Int(text.utf8Start[$1]) }
    }

    private static func number(_ bytes: RawSpan, _ offset: Int, isLong: Bool) -> UInt64? {
        guard let high = u32(bytes, offset) else { return nil }
        guard isLong else { return UInt64(high) }
        return u32(bytes, offset + 4).map { UInt64(high) << 32 | UInt64($0) }
    }

    static func u32(_ bytes: RawSpan, _ offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= bytes.byteCount else { return nil }
        return Int(UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
}
