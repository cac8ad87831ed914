import AlcedoPixels

/// The reference grid of a code stream (ISO/IEC 15444-1, annex B).
struct JP2Grid {
    let start: JP2Point
    let end: JP2Point
    let tileStart: JP2Point
    let tile: JP2Point

    private var columns: Int { (end.x - tileStart.x + tile.x - 1) / tile.x }
    private var rows: Int { (end.y - tileStart.y + tile.y - 1) / tile.y }

    var tileCount: Int { PixelSize(width: columns, height: rows).area }

    /// Each tile's part of the picture.
    func forEachTile(_ body: (_ start: JP2Point, _ end: JP2Point) -> Void) {
        for row in 0..<rows {
            for column in 0..<columns {
                let (x, y) = (tileStart.x + column * tile.x, tileStart.y + row * tile.y)
                body(
                    JP2Point(x: max(x, start.x), y: max(y, start.y)),
                    JP2Point(x: min(x + tile.x, end.x), y: min(y + tile.y, end.y)))
            }
        }
    }
}

/// The precincts, code blocks and packets of a code stream, for each of which OpenJPEG allocates memory before it reads any.
///
/// A few hundred bytes can announce millions. Of several styles the most expensive counts for all components and tiles.
struct JP2Structure {
    /// Measured: with its two tag trees, its share of the code blocks' trees, and its description.
    private static let (precinctBytes, blockBytes, segmentedBlockBytes) = (240, 320, 3_000)
    /// OpenJPEG marks in two bytes whether it has read a packet.
    private static let packetBytes = 2
    /// Bytes that any picture may take, and those for each of its samples.
    private static let (mostBytes, mostBytesPerSample) = (64 << 20, 8)
    /// Packets that a file may announce beyond one for each of its bytes: every packet takes a byte.
    private static let mostEmptyPackets = 1 << 16

    /// Bytes for the largest tile: OpenJPEG decodes one after the other.
    private(set) var bytes = 0
    private(set) var packets = 0

    /// Tiles times components times resolutions in all styles; each takes some nanoseconds here.
    private static let mostParts = 10_000_000

    init(
        of grid: JP2Grid, _ components: [JP2Header.Component], _ styles: Set<JP2Style>
    ) throws(CodecError) {
        let parts = grid.tileCount * components.count * styles.reduce(0) { $0 + $1.levels + 1 }
        guard parts <= Self.mostParts else {
            throw .unsupported(.jp2, reason: "its \(grid.tileCount) tiles have too many resolutions")
        }
        for style in styles {
            var (most, packets) = (0, 0)
            grid.forEachTile { start, end in
                var (bytes, precincts) = (0, 0)
                var mostPrecincts = 0
                for component in components {
                    let (sum, count, most) = Self.measure(
                        Self.divided(start, by: component.step), Self.divided(end, by: component.step),
                        style)
                    bytes += sum
                    precincts += count
                    mostPrecincts = max(mostPrecincts, most)
                }
                // There is a place for as many packets at each resolution as at the one with the most.
                let places = style.layers * (style.levels + 1) * components.count * mostPrecincts
                most = max(most, bytes + places * Self.packetBytes)
                packets += precincts * style.layers
            }
            bytes = max(bytes, most)
            self.packets = max(self.packets, packets)
        }
    }

    /// Throws for more bytes than a picture of so many samples needs.
    func check(samples: Int) throws(CodecError) {
        guard bytes <= Self.mostBytes + samples * Self.mostBytesPerSample else {
            throw .unsupported(
                .jp2,
                reason:
                    "its precincts, code blocks and packets take \(bytes) bytes for \(samples) samples")
        }
    }

    /// Throws for more packets than a whole file of so many bytes can have.
    func check(byteCount: Int) throws(CodecError) {
        guard packets <= byteCount + Self.mostEmptyPackets else {
            throw .corrupt(.jp2, reason: "it announces \(packets) packets in \(byteCount) bytes")
        }
    }

    /// A component of a tile: bytes, precincts, and the most precincts of a resolution.
    private static func measure(
        _ start: JP2Point, _ end: JP2Point, _ style: JP2Style
    ) -> (bytes: Int, precincts: Int, most: Int) {
        var (bytes, precincts, most) = (0, 0, 0)
        for resolution in 0...style.levels {
            let level = style.levels - resolution
            let (from, to) = (halved(start, level), halved(end, level))
            guard to.x > from.x, to.y > from.y else { continue }
            let precinct = style.precinct(at: resolution)
            let count = cells(from, to, precinct)
            // The lowest resolution is one band, and the others three of half the sides.
            let (bands, halving) = resolution == 0 ? (1, 0) : (3, 1)
            let block = JP2Point(
                x: max(0, min(style.block.x, precinct.x - halving)),
                y: max(0, min(style.block.y, precinct.y - halving)))
            let first = JP2Point(x: from.x >> halving, y: from.y >> halving)
            let blocks = cells(first, halved(to, halving), block)
            let each = style.hasSegments ? segmentedBlockBytes : blockBytes
            bytes += bands * (count * precinctBytes + blocks * each)
            precincts += count
            most = max(most, count)
        }
        return (bytes, precincts, most)
    }

    /// How many cells, with sides of powers of 2, a rectangle touches.
    private static func cells(
        _ from: JP2Point, _ to: JP2Point, _ side: JP2Point
    ) -> Int {
        (parts(to.x, side.x) - from.x >> side.x) * (parts(to.y, side.y) - from.y >> side.y)
    }

    private static func halved(_ point: JP2Point, _ count: Int) -> JP2Point {
        JP2Point(x: parts(point.x, count), y: parts(point.y, count))
    }

    /// A length over 2 to the power of `exponent`, rounded up.
    private static func parts(_ length: Int, _ exponent: Int) -> Int {
        (length + (1 << exponent) - 1) >> exponent
    }

    private static func divided(_ point: JP2Point, by step: (x: Int, y: Int)) -> JP2Point {
        JP2Point(x: (point.x + step.x - 1) / step.x, y: (point.y + step.y - 1) / step.y)
    }
}
