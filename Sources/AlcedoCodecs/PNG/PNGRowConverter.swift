import AlcedoPixels

/// Converts the rows of a PNG to the requested layout, and says whether they are opaque.
struct PNGRowConverter {
    let keepsStraightAlpha: Bool
    private let transform: ColorTransform?
    private let deep: DeepConverter?
    private let hasAlpha: Bool

    init(profile: [UInt8]?, header: PNGHeader, options: DecodeOptions) {
        let isGrey = header.color == .grey || header.color == .greyAlpha
        let colors =
            header.encoding.map { ColorSource($0) }
            ?? profile.map { ColorSource(profile: $0, layout: isGrey ? .grey : .rgba) }
        transform = header.isDeep ? nil : colors?.transform
        deep =
            header.isDeep
            ? DeepConverter(
                colors?.deepTransform, alpha: header.hasAlpha ? .straight : .none, options: options) : nil
        hasAlpha = header.hasAlpha
        keepsStraightAlpha = options.keepsStraightAlpha
    }

    /// Decodes the next row, and converts it.
    ///
    /// `y` is its place in the image, and `row` that in the result.
    func decode(from reader: borrowing PNGReader, into row: PixelRows, y: Int) throws(CodecError) -> Bool {
        guard let deep else {
            try reader.decodeRow(into: row)
            return convert(row)
        }
        return try withDeepRow(row.size.width) { pixels throws(CodecError) in
            try reader.decodeRow(into: pixels)
            return deep(pixels, to: row.base, at: (0, y))
        }
    }

    /// Decodes the part of row `y` in an interlacing pass; only deep pixels are converted at once.
    func decode(
        _ pass: PNGPass, from reader: borrowing PNGReader, into row: PixelRows, y: Int
    ) throws(CodecError) {
        guard let deep else { return try reader.decodeRow(into: row) }
        try withDeepRow(row.size.width) { pixels throws(CodecError) in
            try reader.decodeRow(into: pixels)
            let columns = stride(from: pass.firstColumn, to: pixels.count, by: pass.columnStep)
            var count = 0
            for column in columns {
                pixels[count] = pixels[column]
                count += 1
            }
            _ = deep(
                DeepPixels(rebasing: pixels[..<count]), to: row.base + pass.firstColumn,
                at: (pass.firstColumn, y), step: pass.columnStep)
        }
    }

    /// Converts a row of which all passes have been decoded.
    func finish(_ row: PixelRows) -> Bool { deep == nil ? convert(row) : !hasAlpha || row.isOpaque }

    /// Converts BGRA in place.
    func convert(bgra row: PixelRows) -> Bool {
        if let transform {
            row.swapRedAndBlue()
            transform.apply(to: row)
        }
        return multiply(row, swapping: false)
    }

    /// The alpha of the image, given whether all rows are opaque.
    func alpha(isOpaque: Bool) -> Bitmap.Alpha {
        if isOpaque { return .opaque }
        return keepsStraightAlpha ? .straight : .premultiplied
    }

    /// Converts RGBA in place.
    private func convert(_ row: PixelRows) -> Bool {
        transform?.apply(to: row)
        return multiply(row, swapping: transform == nil)
    }

    private func multiply(_ row: PixelRows, swapping: Bool) -> Bool {
        if hasAlpha, !keepsStraightAlpha { return row.premultiply(swapping: swapping) }
        if swapping { row.swapRedAndBlue() }
        return !hasAlpha || row.isOpaque
    }

    private func withDeepRow<Result>(
        _ width: Int, _ body: (DeepPixels) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        let pixels = DeepPixels.allocate(capacity: width)
        defer { pixels.deallocate() }
        return try body(pixels)
    }
}
