import AlcedoPixels

extension PNGCodec {
    /// Decodes the first rows; of an interlaced image all rows, coarse ones where finer ones are missing.
    ///
    /// An image hidden by an animation is not shown.
    static func decodeTruncated(
        _ bytes: RawSpan,
        header: PNGHeader,
        options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        guard header.showsStillImageFirst else { throw .truncated(.png) }
        let deadline = Deadline(options.limits)
        try deadline.check()
        var pixels = try PixelBuilder(size: header.size, alpha: .opaque)
        let (rowCount, alpha) = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            try bytes.withUnsafeBytes { input throws(CodecError) in
                let profile =
                    header.encoding == nil ? profile(of: input, header: header, limits: options.limits) : nil
                let converter = PNGRowConverter(
                    profile: profile, header: header, options: options)
                let reader = try PNGReader(input, header: header, limits: options.limits)
                let rows = PixelRows(output, header.size)
                let rowCount = try fillFirst(of: rows, from: reader, header: header, converter, deadline)
                var isOpaque = true
                let step = Deadline.rows(of: header.size.width)
                for index in 0..<rowCount {
                    if index % step == 0 { try deadline.check() }
                    isOpaque = converter.finish(rows.row(index)) && isOpaque
                }
                return (rowCount, converter.alpha(isOpaque: isOpaque))
            }
        }
        pixels.alpha = alpha
        try pixels.clear(after: rowCount, of: .png, options)
        return pixels.freeze()
    }

    /// Decodes until the bytes end; returns how many rows have pixels.
    private static func fillFirst(
        of rows: PixelRows,
        from reader: borrowing PNGReader,
        header: PNGHeader,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Int {
        let height = header.size.height
        let step = Deadline.rows(of: header.size.width)
        var rowCount = 0
        var decoded = 0
        do throws(CodecError) {
            try reader.start(header)
            while let (index, pass) = try reader.nextRow() {
                if decoded % step == 0 { try deadline.check() }
                decoded += 1
                // A row without interlacing has all its pixels in one pass.
                let place = header.isInterlaced ? PNGPass.all[pass] : .whole
                try converter.decode(place, from: reader, into: rows.row(index), y: index)
                guard header.isInterlaced else {
                    rowCount = index + 1
                    continue
                }
                let block = PNGPass.all[pass]
                rows.spread(row: index, block)
                if pass == 0 { rowCount = min(index + block.height, height) }
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        return rowCount
    }
}

/// A pass of Adam7: where its pixels are, and the block of pixels that each stands for until later passes come.
struct PNGPass {
    let firstColumn: Int
    let columnStep: Int
    let width: Int
    let height: Int

    /// All pixels, of an image that is not interlaced.
    static let whole = PNGPass(firstColumn: 0, columnStep: 1, width: 1, height: 1)

    static let all = [
        PNGPass(firstColumn: 0, columnStep: 8, width: 8, height: 8),
        PNGPass(firstColumn: 4, columnStep: 8, width: 4, height: 8),
        PNGPass(firstColumn: 0, columnStep: 4, width: 4, height: 4),
        PNGPass(firstColumn: 2, columnStep: 4, width: 2, height: 4),
        PNGPass(firstColumn: 0, columnStep: 2, width: 2, height: 2),
        PNGPass(firstColumn: 1, columnStep: 2, width: 1, height: 2),
        PNGPass(firstColumn: 0, columnStep: 1, width: 1, height: 1),
    ]
}

extension PixelRows {
    /// Copies the pixels of a pass in row `index` to their blocks; pixels of other passes there are later ones.
    fileprivate func spread(row index: Int, _ pass: PNGPass) {
        guard pass.width * pass.height > 1 else { return }
        let source = base + index * size.width
        for y in index..<min(index + pass.height, size.height) {
            let target = base + y * size.width
            for x in stride(from: pass.firstColumn, to: size.width, by: pass.columnStep) {
                for column in x..<min(x + pass.width, size.width) { target[column] = source[x] }
            }
        }
    }
}
