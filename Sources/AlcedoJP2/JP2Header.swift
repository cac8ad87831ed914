import AlcedoCodecs
import AlcedoPixels

/// The headers of a JP2 file (ISO/IEC 15444-1, annex I) or of a bare code stream (annex A).
///
/// Read without OpenJPEG, which allocates memory for every tile and component as soon as it reads them.
struct JP2Header {
    /// One component of the code stream, before a palette is applied.
    struct Component {
        /// Samples of the reference grid for each of this component's samples.
        let step: (x: Int, y: Int)
    }

    /// Components of the code stream, and channels of a palette: CMYK with alpha has the most.
    private static let mostChannels = 5
    private static let mostArea = 1 << 36
    /// Tiles that a picture of any size may have; conformance files (ISO/IEC 15444-4) have 225 small ones.
    private static let mostSmallTiles = 512

    /// Width and height of the component with the most samples.
    let size: PixelSize
    let components: [Component]

    /// How often all components can be halved.
    let levels: Int
    let tileCount: Int
    /// Tiles of which there is no part; OpenJPEG leaves them black.
    let missingTiles: Int

    /// Channels that a palette gives; 0 without one.
    let paletteChannels: Int

    /// What OpenJPEG allocates besides samples; not too much for the size of the picture.
    let structure: JP2Structure
    let hasAlpha: Bool
    let colors: JP2Colors
    let isComplete: Bool
    let isBoxed: Bool

    var profile: Range<Int>? { if case .profile(let range, _) = colors { range } else { nil } }

    init(_ bytes: RawSpan, limits: DecodeLimits) throws(CodecError) {
        var boxes = JP2Boxes()
        isBoxed = bytes.u32BE(0) != JP2Boxes.codestreamStart
        if isBoxed { boxes.read(bytes) } else { boxes.codestream = 0..<bytes.byteCount }
        guard let codestream = boxes.codestream else { throw .truncated(.jp2) }
        let isThere = codestream.upperBound <= bytes.byteCount
        let range = codestream.clamped(to: 0..<bytes.byteCount)
        let stream = bytes.extracting(range)
        let grid: JP2Grid
        (size, components, grid) = try Self.readSize(stream, limits: limits)
        tileCount = grid.tileCount
        let styles = try JP2Styles(stream)
        missingTiles = grid.tileCount - styles.tiles.count(where: { $0 < grid.tileCount })
        levels = styles.levels
        structure = try JP2Structure(of: grid, components, styles.all)
        try structure.check(samples: size.area * components.count)
        colors = JP2Colors(boxes.colors, bytes)
        paletteChannels = boxes.paletteChannels ?? 0
        guard paletteChannels <= Self.mostChannels else {
            throw .unsupported(.jp2, reason: "its palette has \(paletteChannels) channels")
        }
        let channels = boxes.paletteChannels ?? components.count
        hasAlpha = boxes.hasAlphaChannel || colors.hasAlpha(channels)
        isComplete = isThere && bytes.u16BE(range.upperBound - 2) == 0xFFD9
    }

    private static func readSize(
        _ bytes: RawSpan, limits: DecodeLimits
    ) throws(CodecError) -> (PixelSize, [Component], JP2Grid) {
        guard bytes.byteCount >= 42 else { throw .truncated(.jp2) }
        guard bytes.u32BE(0) == JP2Boxes.codestreamStart else {
            throw .corrupt(.jp2, reason: "its code stream does not start with SOC and SIZ")
        }
        func field(_ index: Int) -> Int { bytes.u32BE(8 + 4 * index) ?? 0 }
        func point(_ index: Int) -> JP2Point { JP2Point(x: field(index), y: field(index + 1)) }
        let (end, origin, tile, tileOrigin) = (point(0), point(2), point(4), point(6))
        let count = bytes.u16BE(40) ?? 0
        guard end.x > origin.x, end.y > origin.y, tile.x > 0, tile.y > 0, tileOrigin.x <= origin.x,
            tileOrigin.y <= origin.y, count > 0
        else { throw .corrupt(.jp2, reason: "the sizes in its header are wrong") }
        guard count <= mostChannels else {
            throw .unsupported(.jp2, reason: "it has \(count) components")
        }
        guard bytes.byteCount >= 42 + 3 * count else { throw .truncated(.jp2) }
        var components: [Component] = []
        var size = PixelSize(width: 0, height: 0)
        for index in 0..<count {
            let step = (x: bytes.u8(43 + 3 * index) ?? 0, y: bytes.u8(44 + 3 * index) ?? 0)
            guard step.x > 0, step.y > 0 else {
                throw .corrupt(.jp2, reason: "a component has no samples")
            }
            components.append(Component(step: step))
            size.width = max(size.width, parts(end.x, step.x) - parts(origin.x, step.x))
            size.height = max(size.height, parts(end.y, step.y) - parts(origin.y, step.y))
        }
        try limits.check(stored: size, of: .jp2)
        // So that no product of sizes exceeds an integer, whatever the limits are.
        guard size.area <= Self.mostArea else {
            throw .limitExceeded(.pixels, value: size.area, limit: Self.mostArea)
        }
        let grid = JP2Grid(start: origin, end: end, tileStart: tileOrigin, tile: tile)
        // OpenJPEG needs kilobytes for each; large pictures have 64 by 64 pixels in one at least.
        guard grid.tileCount <= mostSmallTiles + size.area / 4096 else {
            throw .unsupported(.jp2, reason: "its \(grid.tileCount) tiles are too small")
        }
        return (size, components, grid)
    }

    private static func parts(_ length: Int, _ step: Int) -> Int { (length + step - 1) / step }
}

/// The boxes that a decoder needs.
struct JP2Boxes {
    /// The markers SOC and SIZ.
    static let codestreamStart = 0xFF4F_FF51

    /// The first code stream; it may extend over the end of a file that is cut short.
    var codestream: Range<Int>?

    /// The first boxes `colr`.
    private(set) var colors: [Range<Int>] = []
    private static let mostColors = 16

    /// Channels that the palette gives.
    private(set) var paletteChannels: Int?
    private(set) var hasAlphaChannel = false

    /// Reads the boxes of a file, up to its code stream.
    mutating func read(_ bytes: RawSpan) {
        forEachBox(bytes, in: 0..<bytes.byteCount) { kind, content in
            switch kind {
            case "jp2h":
                var header = self
                let inside = content.clamped(to: 0..<bytes.byteCount)
                header.forEachBox(bytes, in: inside) { kind, content in
                    header.readHeaderBox(kind, content, bytes)
                    return true
                }
                self = header
            case "jp2c":
                codestream = content
                return false
            default: break
            }
            return true
        }
    }

    private mutating func readHeaderBox(_ kind: String, _ content: Range<Int>, _ bytes: RawSpan) {
        let start = content.lowerBound
        switch kind {
        case "colr" where colors.count < Self.mostColors && content.count > 3: colors.append(content)
        case "pclr": paletteChannels = max(paletteChannels ?? 0, bytes.u8(start + 2) ?? 0)
        case "cdef":
            let count = min(bytes.u16BE(start) ?? 0, (content.count - 2) / 6)
            for index in 0..<max(0, count) {
                // Opacity, straight or premultiplied.
                let type = bytes.u16BE(start + 4 + 6 * index)
                if type == 1 || type == 2 { hasAlphaChannel = true }
            }
        default: break
        }
    }

    /// Calls `body` with each box until it returns false; the content may extend over the end.
    private func forEachBox(
        _ bytes: RawSpan, in range: Range<Int>, _ body: (String, Range<Int>) -> Bool
    ) {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, let length = bytes.u32BE(offset) {
            let kind = String(decoding: bytes.copy(offset + 4..<offset + 8), as: UTF8.self)
            var (header, total) = (8, length)
            if length == 1 {
                guard let high = bytes.u32BE(offset + 8), let low = bytes.u32BE(offset + 12),
                    high < 1 << 16
                else { return }
                (header, total) = (16, high << 32 | low)
            } else if length == 0 {
                total = range.upperBound - offset
            }
            guard total >= header, body(kind, offset + header..<offset + total) else { return }
            offset += total
        }
    }
}
