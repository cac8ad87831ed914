import AlcedoPixels

extension PNGCodec {
    /// Fills `rows` with those that start at `filtered`, of three or four channels of 8 bits; nil if a filter is unknown.
    static func fill(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        header: PNGHeader,
        _ finish: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha? {
        if header.color == .rgb {
            return try fill(rows, fromFiltered: filtered, of: PNGColor.self, finish, deadline)
        }
        return try fill(rows, fromFiltered: filtered, of: PNGColorAlpha.self, finish, deadline)
    }

    private static func fill<Pixel: PNGPixel>(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        of kind: Pixel.Type,
        _ finish: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha? {
        let (width, height) = (rows.size.width, rows.size.height)
        let zeros = UnsafeMutablePointer<UInt32>.allocate(capacity: width)
        zeros.initialize(repeating: 0, count: width)
        defer { zeros.deallocate() }
        let step = Deadline.rows(of: width)
        var isOpaque = true
        for y in 0..<height {
            if y % step == 0 { try deadline.check() }
            let row = filtered + y * (1 + width * Pixel.size)
            guard let filter = PNGFilter(rawValue: row.load(as: UInt8.self)) else { return nil }
            let target = rows.row(y).base
            filter.undo(
                row + 1, of: kind, above: y == 0 ? zeros : target - width, into: target, count: width)
            // The one before was needed as it was.
            if y > 0 { isOpaque = finish.finish(bgra: rows.row(y - 1)) && isOpaque }
        }
        isOpaque = finish.finish(bgra: rows.row(height - 1)) && isOpaque
        return finish.alpha(isOpaque: isOpaque)
    }
}
