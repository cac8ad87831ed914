import AlcedoCodecs
import AlcedoPixels

/// The fields of a file's first directory (TIFF 6.0, section 2), read without libtiff.
///
/// libtiff copies the values of all fields when it opens a file, those that no decoder needs included.
struct TIFFDirectory {
    /// Bytes by which the values of the fields may exceed the file: a few fields may share their values.
    private static let mostShared = 1 << 16
    /// More fields than libtiff reads.
    private static let mostFields = 1 << 16

    /// Bytes of the values that are not in the directory itself, each as often as a field refers to it.
    private(set) var valueBytes = 0

    /// The first values of the fields that decide on memory; of several fields of a kind the largest.
    private var numbers: [Int: Int] = [:]

    /// Nil if the directory extends over the end.
    init?(_ bytes: RawSpan) {
        let reader = TIFFNumbers(bytes)
        let start = reader.isBig ? reader.number(bytes, 8, 8) : reader.number(bytes, 4, 4)
        guard let start, let count = reader.number(bytes, start, reader.isBig ? 8 : 2) else { return nil }
        let (head, length) = reader.isBig ? (8, 20) : (2, 12)
        let fields = min(count, Self.mostFields)
        guard start <= bytes.byteCount - head - fields * length else { return nil }
        for index in 0..<fields {
            read(at: start + head + index * length, reader, bytes)
        }
    }

    /// Throws if the values are more than the file has.
    func check(byteCount: Int) throws(CodecError) {
        guard valueBytes - Self.mostShared <= byteCount else {
            throw .corrupt(
                .tiff,
                reason: "the fields of its directory have \(valueBytes) bytes, the file has \(byteCount)")
        }
    }

    /// Bits of a sample, and whether it is a floating-point number.
    var depth: (bits: Int, isFloat: Bool) {
        (numbers[Tag.bits] ?? 1, numbers[Tag.format] == 3)
    }

    /// Whether samples are inks, of which only four are decoded.
    var isCMYK: Bool { numbers[Tag.photometric] == 5 }

    /// The most planes that are decoded at once: cyan, magenta, yellow, black and alpha.
    static let mostPlanes = 5

    /// Upper limit of the bytes of a strip or of a tile, in all planes that are decoded at once.
    var blockBytes: Int {
        let isTiled = numbers[Tag.tileWidth] != nil
        let width = numbers[isTiled ? Tag.tileWidth : Tag.width] ?? 0
        let rows =
            isTiled
            ? numbers[Tag.tileLength] ?? 0
            : min(numbers[Tag.rowsPerStrip] ?? .max, numbers[Tag.length] ?? 0)
        let perPixel = numbers[Tag.samples] ?? 1
        let samples = numbers[Tag.planes] == 2 ? min(perPixel, Self.mostPlanes) : perPixel
        let area = PixelSize(width: width, height: rows).area
        let (bits, overflow) = area.multipliedReportingOverflow(by: samples * (numbers[Tag.bits] ?? 1))
        return overflow ? .max : bits / 8
    }

    private enum Tag {
        static let (width, length, bits, samples) = (256, 257, 258, 277)
        static let (rowsPerStrip, planes, tileWidth, tileLength) = (278, 284, 322, 323)
        static let (photometric, format) = (262, 339)
        static let all: Set = [
            width, length, bits, samples, rowsPerStrip, planes, tileWidth, tileLength, format,
            photometric,
        ]
    }

    private mutating func read(at place: Int, _ reader: TIFFNumbers, _ bytes: RawSpan) {
        guard let tag = reader.number(bytes, place, 2), let type = reader.number(bytes, place + 2, 2),
            let count = reader.number(bytes, place + 4, reader.isBig ? 8 : 4)
        else { return }
        // Of an unknown type libtiff reads nothing.
        let width = Self.widths[type] ?? 0
        let (length, overflow) = count.multipliedReportingOverflow(by: width)
        let value = place + (reader.isBig ? 12 : 8)
        let isInside = !overflow && length <= (reader.isBig ? 8 : 4)
        // libtiff can't read, and so ignores, values that extend over the end.
        if !isInside, !overflow, let start = reader.number(bytes, value, reader.isBig ? 8 : 4),
            length <= bytes.byteCount, start <= bytes.byteCount - length
        {
            valueBytes += length
        }
        guard Tag.all.contains(tag), width > 0, count > 0 else { return }
        let source = isInside ? value : reader.number(bytes, value, reader.isBig ? 8 : 4)
        let number = source.flatMap { reader.number(bytes, $0, width) } ?? 0
        // The product of two of them fits an `Int`.
        numbers[tag] = max(numbers[tag] ?? 0, min(number, 1 << 31))
    }

    /// Bytes of a value of each type.
    private static let widths = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8,
        18: 8,
    ]
}

/// Reads numbers in the byte order of a file.
private struct TIFFNumbers {
    let isBig: Bool
    private let isBigEndian: Bool

    init(_ bytes: RawSpan) {
        isBigEndian = bytes.has("MM", at: 0)
        isBig = bytes.u8(isBigEndian ? 3 : 2) == 0x2B
    }

    /// Nil beyond the end, and for a number that `Int` does not have.
    func number(_ bytes: RawSpan, _ offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, width > 0, offset <= bytes.byteCount - width else { return nil }
        var value: UInt64 = 0
        for index in 0..<width {
            let byte = bytes.u8(isBigEndian ? offset + index : offset + width - 1 - index) ?? 0
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }
}
