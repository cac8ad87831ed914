import AlcedoCodecs
import AlcedoPixels

/// A place on the reference grid, or two sides.
struct JP2Point: Hashable {
    var x: Int
    var y: Int
}

/// How a component is coded, from a marker segment COD or COC (ISO/IEC 15444-1, A.6.1 and A.6.2).
struct JP2Style: Hashable {
    var layers = 1
    var levels = 0
    /// The sides of a code block, as powers of 2.
    var block = JP2Point(x: 6, y: 6)
    /// Whether a code block may consist of many segments, each of which OpenJPEG describes.
    var hasSegments = false
    /// The sides of a precinct at each resolution, as powers of 2; empty for the largest.
    var precincts: [JP2Point] = []

    /// The sides of a precinct at a resolution, the smallest being 0.
    func precinct(at resolution: Int) -> JP2Point {
        resolution < precincts.count ? precincts[resolution] : JP2Point(x: 15, y: 15)
    }
}

/// The styles in the main header and in the headers of all tile parts.
struct JP2Styles {
    private(set) var all: Set<JP2Style> = []

    /// The numbers of the tiles that have parts.
    private(set) var tiles: Set<Int> = []

    /// The fewest decomposition levels of the main header.
    private(set) var levels = 32

    /// The markers of segments that OpenJPEG knows; after others it looks for the next marker by itself.
    private static let known: Set = [
        0xFF50, 0xFF51, 0xFF52, 0xFF53, 0xFF55, 0xFF57, 0xFF58, 0xFF59, 0xFF5C, 0xFF5D, 0xFF5E, 0xFF5F,
        0xFF60, 0xFF61, 0xFF63, 0xFF64, 0xFF74, 0xFF75, 0xFF77, 0xFF78,
    ]
    private static let (tilePart, data) = (0xFF90, 0xFF93)
    /// Different styles; encoders write one, or one for each component.
    private static let mostStyles = 8

    /// Reads the headers of a code stream as far as there are any.
    init(_ bytes: RawSpan) throws(CodecError) {
        // Behind SOC.
        var offset = try read(bytes, from: 2, isMain: true)
        while bytes.u16BE(offset) == Self.tilePart, let length = bytes.u32BE(offset + 6) {
            if let tile = bytes.u16BE(offset + 4) { tiles.insert(tile) }
            let start = try read(bytes, from: offset + 12, isMain: false)
            // Without a length the part extends to the end.
            guard length > 0 else { break }
            offset = max(start + 2, offset + length)
        }
        if all.isEmpty { levels = 0 }
        // Only COD has the number of layers, for all components.
        let layers = all.map(\.layers).max() ?? 1
        all = Set(
            all.map { style in
                var style = style
                style.layers = layers
                return style
            })
    }

    /// Reads the segments of one header, and returns where the marker after them is.
    private mutating func read(
        _ bytes: RawSpan, from start: Int, isMain: Bool
    ) throws(CodecError) -> Int {
        var offset = start
        while let marker = bytes.u16BE(offset), marker != Self.tilePart, marker != Self.data,
            let length = bytes.u16BE(offset + 2)
        {
            guard length >= 2, Self.known.contains(marker) else {
                throw .unsupported(
                    .jp2,
                    reason: "its headers have the marker \(String(marker, radix: 16, uppercase: true))")
            }
            switch marker {
            case 0xFF52:
                add(
                    bytes, at: offset + 9, bytes.u8(offset + 4), layers: bytes.u16BE(offset + 6) ?? 1,
                    isMain)
            case 0xFF53:
                add(bytes, at: offset + 6, bytes.u8(offset + 5), layers: 1, isMain)
            default: break
            }
            guard all.count <= Self.mostStyles else {
                throw .unsupported(.jp2, reason: "its tiles are coded in over \(Self.mostStyles) ways")
            }
            offset += 2 + length
        }
        return offset
    }

    /// The parameters at `place`, which start with the number of levels.
    private mutating func add(
        _ bytes: RawSpan, at place: Int, _ flags: Int?, layers: Int, _ isMain: Bool
    ) {
        guard let flags, let count = bytes.u8(place), let width = bytes.u8(place + 1),
            let height = bytes.u8(place + 2), let style = bytes.u8(place + 3)
        else { return }
        var result = JP2Style(layers: layers, levels: min(count, 32))
        result.block = JP2Point(x: min(width & 15, 8) + 2, y: min(height & 15, 8) + 2)
        // Selective bypass, and termination on each pass.
        result.hasSegments = style & 0b101 != 0
        if flags & 1 == 1 {
            for resolution in 0...result.levels {
                guard let sides = bytes.u8(place + 5 + resolution) else { break }
                result.precincts.append(JP2Point(x: sides & 15, y: sides >> 4))
            }
        }
        all.insert(result)
        if isMain { levels = min(levels, result.levels) }
    }
}
