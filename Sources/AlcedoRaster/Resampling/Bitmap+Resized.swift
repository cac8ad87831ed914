public import AlcedoPixels

extension Bitmap {
    /// The same picture in `target` pixels, resampled with a three-lobed Lanczos filter.
    ///
    /// The filter is stretched on a reduction, so that fine detail fades instead of turning into false patterns, and
    /// enlargements are smooth. Each side is scaled on its own. Where a side shrinks by a factor of six or more, whole
    /// blocks of pixels are averaged first, such that a reduction by at least three is left for the filter: much faster,
    /// and hard to tell from the exact result.
    ///
    /// Works on sRGB-encoded, premultiplied values as they are stored, as UIKit, Pillow and browsers do, not on linear
    /// light. A flat area keeps its exact colour, an opaque bitmap stays opaque, and no colour exceeds its alpha.
    /// Besides the result this takes memory for a few rows. Returns `self` if the size does not change.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if `target` is empty or too large for memory.
    public func resized(to target: PixelSize) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be resized")
        if target == size { return self }
        var result = try PixelBuilder(size: target, alpha: alpha)
        result.withUnsafeMutableBytes { output in
            if let base = output.baseAddress { resample(to: base, size: target) }
        }
        return result.freeze()
    }

    private func resample(to output: UnsafeMutableRawPointer, size target: PixelSize) {
        let columns = Self.blockSide(from: width, to: target.width)
        let rows = Self.blockSide(from: height, to: target.height)
        let plan = FilterPlan(
            horizontal: LanczosTaps(
                count: (width + columns - 1) / columns,
                extent: Double(width) / Double(columns),
                outputCount: target.width
            ),
            vertical: LanczosTaps(
                count: (height + rows - 1) / rows,
                extent: Double(height) / Double(rows),
                outputCount: target.height
            )
        )
        var source = SourceRows(self, columns: columns, rows: rows, capacity: plan.vertical.longest)
        let middle = MiddleRow(width: source.size.width)
        var inputs: [UnsafeRawPointer] = []
        var weights: [SIMD8<Int16>] = []
        for (y, sample) in plan.vertical.samples.enumerated() {
            inputs.removeAll(keepingCapacity: true)
            weights.removeAll(keepingCapacity: true)
            for index in sample.weights {
                inputs.append(source.row(sample.start + inputs.count))
                weights.append(SIMD8(repeating: plan.rowWeights[index]))
            }
            middle.fill(from: inputs, weights: weights)
            middle.write(to: output + y * target.width * 4, plan: plan)
        }
    }

    /// The side of the blocks to average, in pixels, before the filter reduces `length` to `target`.
    private static func blockSide(from length: Int, to target: Int) -> Int {
        max(1, min(length / target / 3, BlockAverager.longestSide))
    }
}
