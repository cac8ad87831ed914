/// Checks that the tables of a profile's elements lie inside their tags; only such elements reach Little CMS.
///
/// Each function gets the bytes of one tag. Little CMS does not check the counts in a file itself.
enum ICCElements {
    /// The limit of Little CMS too.
    private static let curvePointLimit = 0x7FFF
    /// The most entries of a table in lut16Type (ICC.1).
    private static let table16PointLimit = 4096

    /// Whether `tag` is an XYZ colorant.
    static func isColorant(_ tag: RawSpan) -> Bool { tag.has("XYZ ", at: 0) && tag.byteCount >= 20 }

    /// Whether `tag` is one curve, sampled or parametric.
    static func isCurve(_ tag: RawSpan) -> Bool { curveLength(tag, at: 0) != nil }

    /// A text of textDescriptionType (ICC.1:2001), or that of multiLocalizedUnicodeType which is American, English or
    /// the first.
    static func text(_ tag: RawSpan) -> String? {
        if tag.has("desc", at: 0) {
            guard let count = tag.u32BE(8), count <= tag.byteCount - 12 else { return nil }
            let characters = tag.copy(12..<12 + count).prefix { $0 != 0 }
            return String(String.UnicodeScalarView(characters.map { Unicode.Scalar($0) }))
        }
        guard tag.has("mluc", at: 0), let count = tag.u32BE(8), tag.u32BE(12) == 12,
            count <= (tag.byteCount - 16) / 12
        else { return nil }
        let entries = (0..<count).map { 16 + $0 * 12 }
        let entry =
            entries.first { tag.has("enUS", at: $0) } ?? entries.first { tag.has("en", at: $0) }
            ?? entries.first
        guard let entry, let length = tag.u32BE(entry + 4), let start = tag.u32BE(entry + 8),
            start <= tag.byteCount, length <= tag.byteCount - start
        else { return nil }
        let units = (0..<length / 2).compactMap { tag.u16BE(start + $0 * 2) }.prefix { $0 != 0 }
        return String(decoding: units.map { UInt16($0) }, as: UTF16.self)
    }

    /// Whether `tag` is a lookup table from `inputs` channels to three: lut8Type, lut16Type or lutAToBType.
    static func isTable(_ tag: RawSpan, inputs: Int) -> Bool {
        guard tag.u8(8) == inputs, tag.u8(9) == 3 else { return false }
        if tag.has("mft1", at: 0) {
            guard let grid = gridPoints(tag, inputs) else { return false }
            return 48 + 256 * (inputs + 3) + grid * 3 <= tag.byteCount
        }
        if tag.has("mft2", at: 0) {
            guard let grid = gridPoints(tag, inputs), let before = tag.u16BE(48), let after = tag.u16BE(50),
                (2...table16PointLimit).contains(before), (2...table16PointLimit).contains(after)
            else { return false }
            return 52 + 2 * (before * inputs + grid * 3 + after * 3) <= tag.byteCount
        }
        return tag.has("mAB ", at: 0) && hasValidStages(tag, inputs: inputs)
    }

    // MARK: - Tables

    /// The number of points of a table with the same number in each dimension.
    private static func gridPoints(_ tag: RawSpan, _ inputs: Int) -> Int? {
        guard let side = tag.u8(10) else { return nil }
        return product(of: [Int](repeating: side, count: inputs), atMost: tag.byteCount)
    }

    private static func product(of sides: [Int], atMost most: Int) -> Int? {
        var points = 1
        for side in sides {
            guard side >= 2, points <= most / side else { return nil }
            points *= side
        }
        return points
    }

    // MARK: - lutAToBType

    private static func hasValidStages(_ tag: RawSpan, inputs: Int) -> Bool {
        let offsets = [12, 16, 20, 24, 28].compactMap { tag.u32BE($0) }
        guard offsets.count == 5 else { return false }
        // B curves, matrix, M curves, CLUT, A curves.
        return hasCurves(tag, at: offsets[0], count: 3)
            && (offsets[1] == 0 || offsets[1] <= tag.byteCount - 48)
            && hasCurves(tag, at: offsets[2], count: 3)
            && hasGrid(tag, at: offsets[3], inputs: inputs)
            && hasCurves(tag, at: offsets[4], count: inputs)
    }

    private static func hasCurves(_ tag: RawSpan, at offset: Int, count: Int) -> Bool {
        if offset == 0 { return true }
        var offset = offset
        for _ in 0..<count {
            guard let length = curveLength(tag, at: offset) else { return false }
            offset += (length + 3) & ~3
        }
        return true
    }

    private static func hasGrid(_ tag: RawSpan, at offset: Int, inputs: Int) -> Bool {
        if offset == 0 { return true }
        guard let width = tag.u8(offset + 16), width == 1 || width == 2 else { return false }
        let sides = (0..<inputs).compactMap { tag.u8(offset + $0) }
        guard sides.count == inputs, let points = product(of: sides, atMost: tag.byteCount) else {
            return false
        }
        return points * 3 * width <= tag.byteCount - offset - 20
    }

    // MARK: - Curves

    /// The byte count of the curve at `offset`; nil if it is missing or truncated.
    private static func curveLength(_ tag: RawSpan, at offset: Int) -> Int? {
        let length: Int
        if tag.has("curv", at: offset) {
            guard let count = tag.u32BE(offset + 8), count <= curvePointLimit else { return nil }
            length = 12 + count * 2
        } else if tag.has("para", at: offset) {
            let parameters = [1, 3, 4, 5, 7]
            guard let kind = tag.u16BE(offset + 8), kind < parameters.count else { return nil }
            length = 12 + parameters[kind] * 4
        } else {
            return nil
        }
        return length <= tag.byteCount - offset ? length : nil
    }
}
