import AlcedoPixels

extension PNGCodec {
    /// Unfilters the rows at `filtered`, which have three or four channels of 8 bits, to `rows`; nil for an unknown filter.
    static func fill(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        header: PNGHeader,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha? {
        if header.color == .rgb {
            return try fill(rows, fromFiltered: filtered, of: PNGRGB.self, converter, deadline)
        }
        return try fill(rows, fromFiltered: filtered, of: PNGRGBA.self, converter, deadline)
    }

    private static func fill<Pixel: PNGPixel>(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        of kind: Pixel.Type,
        _ converter: PNGRowConverter,
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
            // Converts a row only after the next one, whose filter needs it unconverted.
            if y > 0 { isOpaque = converter.convert(bgra: rows.row(y - 1)) && isOpaque }
        }
        isOpaque = converter.convert(bgra: rows.row(height - 1)) && isOpaque
        return converter.alpha(isOpaque: isOpaque)
    }
}
