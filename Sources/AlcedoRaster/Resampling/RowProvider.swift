import AlcedoPixels

/// Rows that a reduction reads from top to bottom: those of a bitmap, or of an image that is being decoded.
protocol RowProvider: AnyObject {
    var size: PixelSize { get }

    /// The address of row `y`, `size.width` pixels of four bytes.
    ///
    /// A provider may keep only the last rows up to the greatest `y`.
    func row(_ y: Int) -> UnsafeRawPointer
}

extension Bitmap: RowProvider {
    func row(_ y: Int) -> UnsafeRawPointer { unsafeBaseAddress + y * bytesPerRow }
}

extension RowProvider {
    /// Resamples a part of the image, whose covered width and height are `extent`, into all pixels of `result`.
    func resample(
        into result: inout PixelBuilder,
        showing part: PixelRect,
        of extent: SIMD2<Double>
    ) throws(CodecError) {
        let target = result.size
        let columns = blockSide(from: part.width, to: target.width)
        let rows = blockSide(from: part.height, to: target.height)
        if max(columns, rows) > BlockAverager.longestSide {
            let columns = min(columns, BlockAverager.longestSide)
            let rows = min(rows, BlockAverager.longestSide)
            let averaged = try averaged(columns: columns, rows: rows)
            return try averaged.resample(
                into: &result, showing: part.divided(by: columns, rows),
                of: extent / SIMD2(Double(columns), Double(rows)))
        }
        let step = step(to: target, showing: part, of: extent, columns: columns, rows: rows)
        result.withUnsafeMutableBytes { output in
            guard let base = output.baseAddress else { return }
            resample(to: base, size: target, from: step.reducer, plan: step.plan)
        }
    }

    /// Averages blocks of `columns` × `rows` pixels to one pixel each.
    private func averaged(columns: Int, rows: Int) throws(CodecError) -> Bitmap {
        let averager = BlockAverager(self, columns: columns, rows: rows)
        var result = try PixelBuilder(size: averager.size, alpha: .premultiplied)
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
            shouldHalve(part.width, to: target.width)
            && shouldHalve(part.height, to: target.height)
        let key = FilterPlan.Key(source: size, extent: extent, part: part, target: target)
        let plan = FilterPlan.Cache.shared.plan(for: key) {
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
                horizontal: taps(size.width, extent.x, (part.x, part.width), target.width, blocks: columns),
                vertical: taps(size.height, extent.y, (part.y, part.height), target.height, blocks: rows))
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
    private func shouldHalve(_ length: Double, to target: Int) -> Bool {
        let length = length.rounded(.up)
        return length >= Double(4 * target) && length < Double(9 * target)
    }

    /// The side of the blocks to average first, so that the filter still reduces by at least three; 1 for none.
    private func blockSide(from length: Double, to target: Int) -> Int {
        max(1, Int(length.rounded(.up)) / target / 3)
    }
}
