import AlcedoCodecs
import AlcedoPixels

/// The depth and the code points in the boxes of a file, read without a library.
enum HEIFColors {
    /// The properties that have them.
    static let properties: Set = [
        HEIFBoxes.name("pixi"), HEIFBoxes.name("av1C"), HEIFBoxes.name("hvcC"), HEIFBoxes.name("colr"),
    ]

    /// Those of the primary picture, or of the first of its tiles; nil without such a picture.
    static func colors(of bytes: RawSpan) -> StoredColors? {
        guard let items = HEIFItems(bytes), let primary = items.primary else { return nil }
        var boxes = items.descriptions[primary] ?? []
        if let tile = items.parts[primary]?.first { boxes += items.descriptions[tile] ?? [] }
        var (depth, points, hasProfile) = (Int?.none, ColorSpace?.none, false)
        for box in boxes {
            depth = depth ?? bits(in: box, bytes)
            points = points ?? codePoints(in: box, bytes)
            let kind = kind(of: box, bytes)
            hasProfile = hasProfile || kind == "prof" || kind == "rICC"
        }
        return depth.map { StoredColors(bits: $0, codePoints: hasProfile ? nil : points) }
    }

    private static func bits(in box: HEIFBoxes.Box, _ bytes: RawSpan) -> Int? {
        let start = box.content.lowerBound
        switch box.kind {
        // Behind the version and the number of channels.
        case HEIFBoxes.name("pixi"): return box.content.count > 5 ? bytes.u8(start + 5) : nil
        // `high_bitdepth` and `twelve_bit` (AV1 in ISO base media files, 2.3.3).
        case HEIFBoxes.name("av1C"):
            guard box.content.count > 2, let flags = bytes.u8(start + 2) else { return nil }
            return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
        // `bitDepthLumaMinus8` (ISO/IEC 14496-15, 8.3.3.1).
        case HEIFBoxes.name("hvcC"):
            guard box.content.count > 17, let field = bytes.u8(start + 17) else { return nil }
            return 8 + field & 7
        default: return nil
        }
    }

    private static func codePoints(in box: HEIFBoxes.Box, _ bytes: RawSpan) -> ColorSpace? {
        let start = box.content.lowerBound
        guard kind(of: box, bytes) == "nclx", box.content.count >= 8, let primaries = bytes.u16BE(start + 4),
            let transfer = bytes.u16BE(start + 6)
        else { return nil }
        return ColorSpace(primaries: primaries, transfer: transfer)
    }

    /// How a `colr` box gives the colours.
    private static func kind(of box: HEIFBoxes.Box, _ bytes: RawSpan) -> String? {
        guard box.kind == HEIFBoxes.name("colr"), box.content.count >= 4 else { return nil }
        let start = box.content.lowerBound
        return String(decoding: bytes.copy(start..<start + 4), as: UTF8.self)
    }
}
