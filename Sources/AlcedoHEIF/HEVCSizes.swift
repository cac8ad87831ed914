import AlcedoPixels

/// The coded sizes of HEVC data and the canvases of derived images, which may differ from the sizes in the boxes.
///
/// The decoder allocates memory for the size in a sequence parameter set (ITU-T H.265, 7.3.2.2), which is in the decoder's
/// configuration or in the data, and libheif for the size in the data of a grid or an overlay (ISO/IEC 23008-12, 6.6.2). Only
/// items decoded for the primary item count: its tiles and their auxiliary images, such as alpha.
struct HEVCSizes {
    /// The largest area of any picture or canvas.
    private(set) var largest = 0
    /// The areas of all coded pictures together, each as often as it is used.
    private(set) var total = 0
    /// The areas of all canvases together, each as often as it is used.
    private(set) var canvases = 0

    private static let parameterSet: UInt8 = 33

    private var budget: Int
    /// The areas of each item and below it.
    private var sums: [Int: (coded: Int, canvases: Int)] = [:]
    private var areas: [Range<Int>: Int] = [:]

    /// Nil if a parameter set, their list, a grid or an overlay are malformed; `items` must refer to each other without circles.
    init?(of items: HEIFItems, in bytes: RawSpan) {
        budget = bytes.byteCount
        guard let primary = items.primary, let sum = add(primary, of: items, bytes) else { return nil }
        (total, canvases) = sum
    }

    private mutating func add(
        _ item: Int, of items: HEIFItems, _ bytes: RawSpan
    ) -> (coded: Int, canvases: Int)? {
        if let known = sums[item] { return known }
        guard let coded = area(of: item, items, bytes), let canvas = items.canvas(of: item, bytes) else {
            return nil
        }
        largest = max(largest, coded, canvas)
        var sum = (coded: coded, canvases: canvas)
        for other in (items.parts[item] ?? []) + (items.auxiliaries[item] ?? []) {
            guard let part = add(other, of: items, bytes) else { return nil }
            let (coded, overflow) = sum.coded.addingReportingOverflow(part.coded)
            let (canvases, overflows) = sum.canvases.addingReportingOverflow(part.canvases)
            guard !overflow, !overflows else { return nil }
            sum = (coded, canvases)
        }
        sums[item] = sum
        return sum
    }

    /// The area in which an item itself is coded; 0 for one that is no HEVC.
    private mutating func area(of item: Int, _ items: HEIFItems, _ bytes: RawSpan) -> Int? {
        let kind = items.kinds[item]
        guard kind == HEIFBoxes.name("hvc1") || kind == HEIFBoxes.name("hev1") else { return 0 }
        guard var area = Self.units(items.extents[item] ?? [], bytes, &budget) else { return nil }
        for range in items.configurations[item] ?? [] {
            guard let other = areas[range] ?? Self.configuration(range, bytes) else { return nil }
            areas[range] = other
            area = max(area, other)
        }
        return area
    }

    private static func configuration(_ range: Range<Int>, _ bytes: RawSpan) -> Int? {
        var largest = 0
        // Behind the fields of fixed length (ISO/IEC 14496-15, 8.3.3.1).
        var reader = HEIFReader(range: range.dropFirst(22))
        guard let arrays = reader.number(bytes, 1) else { return nil }
        for _ in 0..<arrays {
            guard reader.number(bytes, 1) != nil, let count = reader.number(bytes, 2) else { return nil }
            for _ in 0..<count {
                guard let length = reader.number(bytes, 2), length <= reader.rest.count,
                    let area = area(of: reader.rest.prefix(length), bytes)
                else { return nil }
                largest = max(largest, area)
                reader = HEIFReader(range: reader.rest.dropFirst(length))
            }
        }
        return largest
    }

    /// The NAL units of an item, each after its length; shared extents count once for all items.
    private static func units(_ extents: [Range<Int>], _ bytes: RawSpan, _ budget: inout Int) -> Int? {
        let ranges = extents.map { $0.clamped(to: 0..<bytes.byteCount) }
        budget -= ranges.reduce(0) { $0 + $1.count }
        guard budget >= 0 else { return nil }
        if ranges.count == 1 { return units(ranges[0], bytes) }
        let joined = ranges.flatMap { range in bytes.extracting(range).withUnsafeBytes { [UInt8]($0) } }
        return units(0..<joined.count, joined.span.bytes)
    }

    private static func units(_ range: Range<Int>, _ bytes: RawSpan) -> Int? {
        var largest = 0
        var reader = HEIFReader(range: range)
        while let length = reader.number(bytes, 4) {
            guard let area = area(of: reader.rest.prefix(length), bytes) else { return nil }
            largest = max(largest, area)
            reader = HEIFReader(range: reader.rest.dropFirst(length))
        }
        return largest
    }

    /// 0 for a unit that is no sequence parameter set; nil for one that is malformed.
    private static func area(of range: Range<Int>, _ bytes: RawSpan) -> Int? {
        guard let first = range.first else { return 0 }
        guard bytes.unsafeLoad(fromByteOffset: first, as: UInt8.self) >> 1 & 0x3F == parameterSet else {
            return 0
        }
        // The size is within the first hundred bytes.
        let raw = bytes.extracting(range.prefix(200).dropFirst(2)).withUnsafeBytes { [UInt8]($0) }
        var bits = HEVCBits(raw)
        return bits.area()
    }
}

/// The bits of a unit, without the bytes that only keep start codes out of it.
private struct HEVCBits {
    private var bytes: [UInt8] = []
    private var position = 0

    init(_ raw: [UInt8]) {
        var zeros = 0
        for byte in raw {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
    }

    mutating func area() -> Int? {
        // A profile has 88 bits and a level 8 (7.3.3).
        guard u(4) != nil, let layers = u(3), u(1) != nil, skip(88 + 8), skipLayers(layers), ue() != nil,
            let chroma = ue()
        else { return nil }
        if chroma == 3, u(1) == nil { return nil }
        guard let width = ue(), let height = ue() else { return nil }
        return PixelSize(width: width, height: height).area
    }

    /// The profiles and levels of `count` layers of time.
    private mutating func skipLayers(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        var length = 0
        for _ in 0..<count {
            guard let hasProfile = u(1), let hasLevel = u(1) else { return false }
            length += hasProfile * 88 + hasLevel * 8
        }
        return skip((8 - count) * 2 + length)
    }

    private mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= bytes.count * 8
    }

    private mutating func u(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position >> 3] >> (7 - position & 7) & 1)
            position += 1
        }
        return value
    }

    /// A number after as many zeros as it has bits after its first.
    private mutating func ue() -> Int? {
        var zeros = 0
        while let bit = u(1), bit == 0 {
            zeros += 1
            if zeros > 31 { return nil }
        }
        return u(zeros).map { (1 << zeros) - 1 + $0 }
    }
}
