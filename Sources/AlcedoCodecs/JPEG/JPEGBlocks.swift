import AlcedoPixels

/// The blocks of a JPEG that a transform keeps.
///
/// Blocks start at the upper left corner of the stored picture, and the last ones may have columns and rows beyond its
/// edges. A new file has to start with a whole block, too: it can end within one.
struct JPEGBlocks {
    /// The part of the turned picture.
    let region: PixelFrame

    /// The first stored MCU in either direction; of a flipped one that after it.
    let start: (column: Int, row: Int)

    /// - Throws: ``CodecError/encodingFailed(_:reason:)``.
    init(_ header: JPEGHeader, _ transform: BlockTransform) throws(CodecError) {
        let axes = transform.turn.axes
        let size = transform.turn.upright(header.size)
        let unit = transform.turn.upright(header.unit)
        let crop = transform.crop ?? PixelFrame(x: 0, y: 0, width: size.width, height: size.height)
        let across = try Self.side(
            "width", crop.x, crop.width, of: size.width, unit: unit.width,
            isFlipped: axes.swaps ? axes.flipsY : axes.flipsX, trims: transform.trims)
        let down = try Self.side(
            "height", crop.y, crop.height, of: size.height, unit: unit.height,
            isFlipped: axes.swaps ? axes.flipsX : axes.flipsY, trims: transform.trims)
        region = PixelFrame(
            x: across.range.lowerBound, y: down.range.lowerBound, width: across.range.count,
            height: down.range.count)
        start = axes.swaps ? (down.start, across.start) : (across.start, down.start)
    }

    /// The pixels of a turned side, and the first stored MCU of them, or that after it.
    private static func side(
        _ name: String, _ first: Int, _ count: Int, of length: Int, unit: Int, isFlipped: Bool, trims: Bool
    ) throws(CodecError) -> (range: Range<Int>, start: Int) {
        let end = min(first + count, length)
        guard first >= 0, first < end else {
            throw .encodingFailed(.jpeg, reason: "the part to keep is not in the picture")
        }
        // Where the first whole block of the turned side starts.
        let offset = isFlipped ? length % unit : 0
        var start = first
        if start >= offset {
            start -= (start - offset) % unit
        } else {
            guard trims else {
                throw .encodingFailed(
                    .jpeg,
                    reason:
                        "its \(name) of \(length) pixels is no multiple of the \(unit) of a block, and the "
                        + "turn would start with the last \(offset) of them; trim them, or encode it anew")
            }
            start = offset
        }
        guard start < end else {
            throw .encodingFailed(.jpeg, reason: "the part to keep has no whole block")
        }
        return (start..<end, isFlipped ? (length - start) / unit : start / unit)
    }
}
