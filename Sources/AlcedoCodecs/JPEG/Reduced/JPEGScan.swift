import AlcedoPixels

/// The sampling factors and tables of a baseline JPEG with a single scan.
///
/// The initialiser returns nil for any other file, and for an invalid one.
struct JPEGScan {
    struct Component {
        /// Blocks per MCU, horizontally and vertically.
        let across: Int
        let down: Int
        /// The quantisation table, in zigzag order.
        let quantization: [Int32]
        let dc: HuffmanTable
        let ac: HuffmanTable
    }

    let components: [Component]
    let size: PixelSize

    /// The number of MCUs between two restart markers; 0 without restart markers.
    private(set) var restartInterval = 0

    /// The start of the entropy-coded bytes.
    private(set) var start = 0

    /// Blocks per MCU, horizontally and vertically.
    var across: Int { components[0].across }
    var down: Int { components[0].down }

    /// MCUs per row and column of the image.
    var columns: Int { (size.width + 8 * across - 1) / (8 * across) }
    var rows: Int { (size.height + 8 * down - 1) / (8 * down) }

    init?(_ bytes: RawSpan) {
        var segments = Segments()
        guard let scan = segments.read(bytes), let frame = segments.frame, frame.count >= 6,
            frame[0] == 8, [1, 3].contains(frame[5]), frame.count == 6 + 3 * frame[5],
            scan.count == 4 + 2 * frame[5], scan[0] == frame[5], Array(scan.suffix(3)) == [0, 63, 0]
        else { return nil }
        let isGrey = frame[5] == 1
        var components: [Component] = []
        for index in 0..<frame[5] {
            let (id, factors) = (frame[6 + 3 * index], frame[7 + 3 * index])
            let codes = scan[2 + 2 * index]
            // libjpeg may take components with other numbers for red, green and blue.
            guard scan[1 + 2 * index] == id, isGrey || id == index + 1,
                let quantization = segments.quantizationTables[frame[8 + 3 * index]],
                let dc = segments.huffmanTable(codes >> 4), let ac = segments.huffmanTable(codes & 15 | 16)
            else { return nil }
            // A single component is not interleaved, so its factors have no effect.
            components.append(
                Component(
                    across: isGrey ? 1 : factors >> 4, down: isGrey ? 1 : factors & 15,
                    quantization: quantization, dc: dc, ac: ac))
        }
        guard let first = components.first, Self.isSupported(first, components) else { return nil }
        self.components = components
        size = PixelSize(width: frame[3] << 8 | frame[4], height: frame[1] << 8 | frame[2])
        restartInterval = segments.restartInterval
        start = segments.end
        guard !size.isEmpty else { return nil }
    }

    /// Whether chroma has full or half the resolution of luma in each direction.
    private static func isSupported(_ luma: Component, _ all: [Component]) -> Bool {
        guard (1...2).contains(luma.across), (1...2).contains(luma.down) else { return false }
        return all.dropFirst().allSatisfy { $0.across == 1 && $0.down == 1 }
    }
}

/// The segments before the first scan.
private struct Segments {
    var frame: [Int]?
    var quantizationTables: [Int: [Int32]] = [:]
    var restartInterval = 0
    var end = 2

    /// The Huffman tables by number, AC tables from 16 on: the number of codes of 1 to 16 bits, and their symbols.
    private var symbols: [Int: (counts: [Int], symbols: [UInt8])] = [:]
    private var huffmanTables: [Int: HuffmanTable] = [:]

    /// Limits of segments and of table bytes; libjpeg decodes files with more.
    private static let limits = (segments: 1000, bytes: 1 << 14)

    /// Reads up to the scan and returns the body of its header.
    mutating func read(_ bytes: RawSpan) -> [Int]? {
        var left = Self.limits.bytes
        for _ in 0..<Self.limits.segments {
            guard bytes.u8(end) == 0xFF, let marker = bytes.u8(end + 1), let length = bytes.u16BE(end + 2),
                end + 2 + max(length, 2) <= bytes.byteCount
            else { return nil }
            let start = end + 4
            end += 2 + max(length, 2)
            // Skips application data and comments, which may be large.
            if marker != 0xEE, (0xE0...0xEF).contains(marker) || marker == 0xFE { continue }
            guard length >= 2 else { return nil }
            left -= end - start
            guard left >= 0 else { return nil }
            let body = bytes.copy(start..<end).map(Int.init)
            switch marker {
            case 0xC0, 0xC1:
                guard frame == nil else { return nil }
                frame = body
            case 0xC4: guard readHuffmanTables(body) else { return nil }
            case 0xDB: guard readQuantizationTables(body) else { return nil }
            case 0xDD:
                guard body.count == 2 else { return nil }
                restartInterval = body[0] << 8 | body[1]
            case 0xEE where body.starts(with: "Adobe".utf8.map(Int.init)):
                // The last byte is 1 for YCbCr.
                guard body.count >= 12, body[11] == 1 else { return nil }
            case 0xEE: break
            case 0xDA: return body
            default: return nil
            }
        }
        return nil
    }

    /// The Huffman table of a number, built on first use.
    mutating func huffmanTable(_ number: Int) -> HuffmanTable? {
        if let table = huffmanTables[number] { return table }
        guard let (counts, symbols) = symbols[number] else { return nil }
        huffmanTables[number] = HuffmanTable(counts: counts, symbols: symbols, isAC: number >= 16)
        return huffmanTables[number]
    }

    private mutating func readQuantizationTables(_ body: [Int]) -> Bool {
        guard body.count % 65 == 0 else { return false }
        for start in stride(from: 0, to: body.count, by: 65) {
            // 16-bit tables are for 12-bit images.
            guard body[start] < 4 else { return false }
            quantizationTables[body[start]] = body[start + 1..<start + 65].map(Int32.init)
        }
        return true
    }

    private mutating func readHuffmanTables(_ body: [Int]) -> Bool {
        var rest = body[...]
        while rest.count > 16, let place = rest.first {
            let counts = Array(rest.dropFirst().prefix(16))
            let total = counts.reduce(0, +)
            let symbols = rest.dropFirst(17).prefix(total).map { UInt8($0) }
            guard place & 15 < 4, place < 32, symbols.count == total else { return false }
            self.symbols[place] = (counts, symbols)
            rest = rest.dropFirst(17 + total)
        }
        return rest.isEmpty
    }
}
