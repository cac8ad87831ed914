public import AlcedoPixels

extension Bitmap {
    /// The same picture in `target` pixels, resampled with a three-lobed Lanczos filter.
    ///
    /// The filter is stretched on a reduction, so that fine detail fades instead of turning into false
    /// patterns, and enlargements are smooth. Each side is scaled on its own. Where both sides shrink by
    /// four or more, but less than nine, they are halved first in a way that the filter makes up for. In
    /// other cases, where a side shrinks by six or more, whole blocks of pixels are averaged first, such that
    /// a reduction by at least three is left for the filter. Both are much faster, and hard to tell from the
    /// exact result.
    ///
    /// Works on sRGB-encoded, premultiplied values as they are stored, as UIKit, Pillow and browsers do, not
    /// on linear light. A flat area keeps its exact colour, an opaque bitmap stays opaque, and no colour
    /// exceeds its alpha. Besides the result this takes memory for a few rows, and for the filter's
    /// weights about as much as for a few dozen columns. Returns `self` if the size does not change.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if `target` is empty or too large for memory.
    public func resized(to target: PixelSize) throws(CodecError) -> Bitmap {
        try resized(to: target, from: (Double(width), Double(height)))
    }

    /// Resizes an image that ends within the last column and the last row.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - extent: the image's width and height, each less than 1 smaller than the bitmap's.
    /// - Returns: the image at `target` size; `self` if the size does not change.
    /// - Throws: as ``resized(to:)``.
    package func resized(
        to target: PixelSize,
        from extent: (width: Double, height: Double)
    ) throws(CodecError) -> Bitmap {
        let part = PixelRect(x: 0, y: 0, width: extent.width, height: extent.height)
        return try resized(to: target, showing: part, of: SIMD2(extent.width, extent.height))
    }

    /// A part of the image, whose edges may be between pixels, at `target` size.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - part: the part; within the bitmap.
    /// - Returns: the part at `target` size; `self` if that is the whole image at its own size.
    /// - Throws: as ``resized(to:)``.
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

    /// One pixel for each block of `columns` × `rows` pixels.
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

    /// Chooses the first reduction, by blocks of `columns` × `rows` pixels or by half, and the filter for its result.
    private func step(
        to target: PixelSize,
        showing part: PixelRect,
        of extent: SIMD2<Double>,
        columns: Int,
        rows: Int
    ) -> (reducer: (any RowReducer)?, plan: FilterPlan) {
        let isHalved =
            Self.isWorthHalving(part.width, to: target.width)
            && Self.isWorthHalving(part.height, to: target.height)
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

    /// Filters the result of `reducer` to `target` pixels at `output`.
    private func resample(
        to output: UnsafeMutableRawPointer,
        size target: PixelSize,
        from reducer: (any RowReducer)?,
        plan: FilterPlan
    ) {
        var source = SourceRows(self, reducer: reducer, capacity: plan.rows.longest)
        let middle = CenterRow(width: source.size.width, quads: plan.columns.quads)
        var sources: [UnsafeRawPointer] = []
        sources.reserveCapacity(plan.rows.longest)
        plan.columns.withColumns { columns in
            for (y, row) in plan.rows.rows.enumerated() {
                sources.removeAll(keepingCapacity: true)
                for term in row.terms { sources.append(source.row(row.start + plan.rows.offsets[term])) }
                middle.fill(row, of: plan.rows, from: sources)
                middle.write(to: output + y * target.width * 4, columns: &columns)
            }
        }
    }

    /// Whether ``Halver`` leaves enough samples for the filter, and at most a few times the target.
    private static func isWorthHalving(_ length: Double, to target: Int) -> Bool {
        let length = length.rounded(.up)
        return length >= Double(4 * target) && length < Double(9 * target)
    }

    /// The side of the blocks to average, in pixels, before the filter reduces `length` to `target`.
    private static func blockSide(from length: Double, to target: Int) -> Int {
        max(1, Int(length.rounded(.up)) / target / 3)
    }
}
