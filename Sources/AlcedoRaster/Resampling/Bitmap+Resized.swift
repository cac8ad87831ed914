public import AlcedoPixels

extension Bitmap {
    /// Resamples to `target` pixels with a three-lobed Lanczos filter.
    ///
    /// A reduction widens the filter, which suppresses aliasing. Each side is scaled independently. If both sides
    /// shrink by a factor of four to less than nine, they are halved first and the filter compensates. Otherwise, if a
    /// side shrinks by six or more, blocks of pixels are averaged first, and the filter reduces by at least three. Both
    /// are much faster than the filter alone, and the difference is hardly visible.
    ///
    /// Works on sRGB-encoded, premultiplied values as they are stored, as UIKit, Pillow and browsers do, not
    /// on linear light. A flat area keeps its exact colour, an opaque bitmap stays opaque, and no colour
    /// exceeds its alpha. Beside the result, the working memory is a few rows, and for the weights about a few dozen
    /// columns. Returns `self` if the size does not change.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if `target` is empty, and
    ///   ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public func resized(to target: PixelSize) throws(CodecError) -> Bitmap {
        try resized(to: target, from: (Double(width), Double(height)))
    }

    /// Resamples a bitmap whose last column and row are only partly covered.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - extent: the covered width and height, each less than 1 below the bitmap's.
    /// - Returns: `target` pixels; `self` if the size does not change.
    /// - Throws: what ``resized(to:)`` does.
    package func resized(
        to target: PixelSize,
        from extent: (width: Double, height: Double)
    ) throws(CodecError) -> Bitmap {
        let part = PixelRect(x: 0, y: 0, width: extent.width, height: extent.height)
        return try resized(to: target, showing: part, of: SIMD2(extent.width, extent.height))
    }

    /// Resamples a part of the bitmap, whose edges may be fractional.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - part: a rectangle within the bitmap; it may exceed the bitmap by less than a pixel of the result, which repeats its
    ///     edges.
    /// - Returns: `target` pixels; `self` if `part` is the whole bitmap and `target` its size.
    /// - Throws: what ``resized(to:)`` does.
    package func resized(to target: PixelSize, showing part: PixelRect) throws(CodecError) -> Bitmap {
        try resized(to: target, showing: part, of: SIMD2(Double(width), Double(height)))
    }

    private func resized(
        to target: PixelSize,
        showing part: PixelRect,
        of extent: SIMD2<Double>
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be resized")
        if target == size, part.width == extent.x, part.height == extent.y { return self }
        var result = try PixelBuilder(size: target, alpha: alpha)
        let columns = Self.blockSide(from: part.width, to: target.width)
        let rows = Self.blockSide(from: part.height, to: target.height)
        if max(columns, rows) > BlockAverager.longestSide {
            let columns = min(columns, BlockAverager.longestSide)
            let rows = min(rows, BlockAverager.longestSide)
            let reduced = part.divided(by: columns, rows)
            return try averaged(columns: columns, rows: rows).resized(
                to: target, showing: reduced, of: extent / SIMD2(Double(columns), Double(rows)))
        }
        let step = self.step(to: target, showing: part, of: extent, columns: columns, rows: rows)
        result.withUnsafeMutableBytes { output in
            guard let base = output.baseAddress else { return }
            resample(to: base, size: target, from: step.reducer, plan: step.plan)
        }
        return result.freeze()
    }

    /// Averages blocks of `columns` × `rows` pixels to one pixel each.
    private func averaged(columns: Int, rows: Int) throws(CodecError) -> Bitmap {
        let averager = BlockAverager(self, columns: columns, rows: rows)
        var result = try PixelBuilder(size: averager.size, alpha: alpha)
        result.withUnsafeMutableBytes { output in
            guard let base = output.baseAddress else { return }
            for y in 0..<averager.size.height {
                averager.write(row: y, to: base + y * averager.size.width * 4)
            }
        }
        return result.freeze()
    }

    /// The reducer, which halves or averages blocks of `columns` × `rows` pixels, and the plan of the filter after it.
    private func step(
        to target: PixelSize,
        showing part: PixelRect,
        of extent: SIMD2<Double>,
        columns: Int,
        rows: Int
    ) -> (reducer: (any RowReducer)?, plan: FilterPlan) {
        let isHalved =
            Self.shouldHalve(part.width, to: target.width)
            && Self.shouldHalve(part.height, to: target.height)
        let key = FilterPlan.Key(source: size, extent: extent, part: part, target: target)
        let plan = FilterPlan.plan(for: key) {
            func taps(
                _ count: Int, _ extent: Double, _ part: (start: Double, length: Double), _ outputCount: Int,
                blocks: Int
            ) -> LanczosTaps {
                if isHalved {
                    return LanczosTaps(count: count, extent: extent, part: part, outputCount: outputCount)
                        .halved(
                            count: count)
                }
                return LanczosTaps(
                    count: (count + blocks - 1) / blocks, extent: extent / Double(blocks),
                    part: (part.start / Double(blocks), part.length / Double(blocks)),
                    outputCount: outputCount)
            }
            return FilterPlan(
                horizontal: taps(width, extent.x, (part.x, part.width), target.width, blocks: columns),
                vertical: taps(height, extent.y, (part.y, part.height), target.height, blocks: rows))
        }
        if isHalved { return (Halver(self), plan) }
        return (columns == 1 && rows == 1 ? nil : BlockAverager(self, columns: columns, rows: rows), plan)
    }

    /// Filters the rows of `reducer`, or of the bitmap without one, into `target` pixels at `output`.
    private func resample(
        to output: UnsafeMutableRawPointer,
        size target: PixelSize,
        from reducer: (any RowReducer)?,
        plan: FilterPlan
    ) {
        var source = SourceRows(self, reducer: reducer, capacity: plan.rows.longest)
        let intermediate = CenterRow(width: source.size.width, quads: plan.columns.quads)
        var sources: [UnsafeRawPointer] = []
        sources.reserveCapacity(plan.rows.longest)
        plan.columns.withColumns { columns in
            for (y, row) in plan.rows.rows.enumerated() {
                sources.removeAll(keepingCapacity: true)
                for term in row.terms { sources.append(source.row(row.start + plan.rows.offsets[term])) }
                intermediate.fill(row, of: plan.rows, from: sources)
                intermediate.write(to: output + y * target.width * 4, columns: &columns)
            }
        }
    }

    /// Whether the reduction is in the range for ``Halver``: a factor of at least four and less than nine.
    private static func shouldHalve(_ length: Double, to target: Int) -> Bool {
        let length = length.rounded(.up)
        return length >= Double(4 * target) && length < Double(9 * target)
    }

    /// The side of the blocks to average first, so that the filter still reduces by at least three; 1 for none.
    private static func blockSide(from length: Double, to target: Int) -> Int {
        max(1, Int(length.rounded(.up)) / target / 3)
    }
}
