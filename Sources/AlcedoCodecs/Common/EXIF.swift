import AlcedoPixels

/// Reads the orientation from EXIF metadata; the other tags do not affect pixels.
enum EXIF {
    /// The orientation in the first directory of a TIFF structure; `.up` if there is none.
    ///
    /// The structure fills `range`, which must be within bounds; the six bytes `Exif\0\0` may precede it.
    static func orientation(in bytes: RawSpan, at range: Range<Int>) -> Orientation {
        let tiff = bytes.extracting(range)
        let start = tiff.has("Exif\0\0", at: 0) ? 6 : 0
        return value(in: tiff.extracting(start..<tiff.byteCount)).flatMap(Orientation.init(rawValue:)) ?? .up
    }

    private static let orientationTag = 0x0112

    /// Byte counts of the integer types: BYTE, SHORT, LONG, SSHORT and SLONG.
    ///
    /// The standard requires SHORT; most programs accept the others.
    private static let byteCounts = [1: 1, 3: 2, 4: 4, 8: 2, 9: 4]

    private static func value(in tiff: RawSpan) -> Int? {
        let isBig = tiff.has("MM\0*", at: 0)
        guard isBig || tiff.has("II*\0", at: 0) else { return nil }
        func u16(_ offset: Int) -> Int? { isBig ? tiff.u16BE(offset) : tiff.u16LE(offset) }
        func u32(_ offset: Int) -> Int? { isBig ? tiff.u32BE(offset) : tiff.u32LE(offset) }

        guard let directory = u32(4), let count = u16(directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = u16(entry) else { return nil }
            guard tag == orientationTag else { continue }
            switch u16(entry + 2).flatMap({ byteCounts[$0] }) {
            case 1: return tiff.u8(entry + 8)
            case 2: return u16(entry + 8)
            case 4: return u32(entry + 8)
            default: return nil
            }
        }
        return nil
    }
}
