import AlcedoPixels
import CResampling

/// The filter on pixels of 16-bit samples, in floating point.
///
/// Each source row is filtered horizontally once; a ring has the last of them for the vertical pass. Beside the rounding, the
/// result is exact: nothing is halved or averaged first.
struct DeepResampler: ~Copyable {
    private let source: Bitmap
    private let target: PixelSize
    private let vertical: LanczosTaps
    private let horizontal: DeepColumns
    private let loops = alcedo_best_deep_resampling().pointee

    /// Samples of a row of the result.
    private var samples: Int { target.width * 4 }

    init(_ source: Bitmap, to target: PixelSize, showing part: PixelRect, of extent: SIMD2<Double>)
        throws(CodecError)
    {
        guard !target.isEmpty else { throw .limitExceeded(.pixels, value: target.area, limit: Int.max / 8) }
        self.source = source
        self.target = target
        horizontal = DeepColumns(
            LanczosTaps(
                count: source.width, extent: extent.x, part: (part.x, part.width), outputCount: target.width))
        vertical = LanczosTaps(
            count: source.height, extent: extent.y, part: (part.y, part.height), outputCount: target.height)
    }

    /// All pixels of the result, in `colors`.
    consuming func resized(_ colors: DeepColors) throws(CodecError) -> Bitmap {
        var result = try PixelBuilder(size: target, alpha: source.alpha, deep: colors)
        let rows = vertical.longest
        let ring = try PixelMemory.allocate(byteCount: rows * samples * 4)
            .bindMemory(to: Float.self, capacity: rows * samples)
        defer { PixelMemory.free(ring) }
        // The last column's taps may have one pixel of weight 0 more than the source.
        let wideCount = (source.width + 1) * 4
        let wide = try PixelMemory.allocate(byteCount: wideCount * 4)
            .bindMemory(to: Float.self, capacity: wideCount)
        defer { PixelMemory.free(wide) }
        wide.initialize(repeating: 0, count: wideCount)
        result.withUnsafeMutableBytes { output in
            guard let base = output.bindMemory(to: UInt16.self).baseAddress else { return }
            fill(base, ring: ring, capacity: rows, wide: wide)
        }
        return result.freeze()
    }

    private func fill(
        _ output: UnsafeMutablePointer<UInt16>, ring: UnsafeMutablePointer<Float>, capacity: Int,
        wide: UnsafeMutablePointer<Float>
    ) {
        guard let pixels = source.storage.bindMemory(to: UInt16.self).baseAddress else { return }
        let weights = vertical.weights.map { Float($0) }
        var rows: [UnsafePointer<Float>] = []
        rows.reserveCapacity(capacity)
        var next = 0
        horizontal.withTaps { taps in
            for (y, sample) in vertical.samples.enumerated() {
                let end = sample.start + sample.weights.count
                // Rows that no sample needs are left out.
                next = max(next, sample.start)
                while next < end {
                    loops.widen(wide, pixels + next * source.width * 4, source.width * 4)
                    loops.columns(ring + next % capacity * samples, wide, taps)
                    next += 1
                }
                rows.removeAll(keepingCapacity: true)
                for row in sample.start..<end { rows.append(UnsafePointer(ring + row % capacity * samples)) }
                weights.withUnsafeBufferPointer { weights in
                    guard let first = weights.baseAddress else { return }
                    loops.rows(
                        output + y * samples, rows, first + sample.weights.lowerBound, rows.count,
                        target.width)
                }
            }
        }
    }
}

/// The horizontal weights in the layout of the kernels.
private struct DeepColumns {
    private var starts: [Int32] = []
    private var counts: [Int32] = []
    private var offsets: [Int32] = []
    /// Those of two pixels after another, each repeated for four channels.
    private var weights: [Float] = []

    init(_ taps: LanczosTaps) {
        // The place of each set of weights, by the index of its first.
        var places: [Int: Int32] = [:]
        for sample in taps.samples {
            starts.append(Int32(sample.start))
            counts.append(Int32((sample.weights.count + 1) / 2))
            if let place = places[sample.weights.lowerBound] {
                offsets.append(place)
                continue
            }
            let place = Int32(weights.count)
            places[sample.weights.lowerBound] = place
            offsets.append(place)
            for index in sample.weights {
                weights += [Float](repeating: Float(taps.weights[index]), count: 4)
            }
            if !sample.weights.count.isMultiple(of: 2) { weights += [0, 0, 0, 0] }
        }
    }

    func withTaps(_ body: (UnsafePointer<alcedo_deep_columns>) -> Void) {
        starts.withUnsafeBufferPointer { starts in
            counts.withUnsafeBufferPointer { counts in
                offsets.withUnsafeBufferPointer { offsets in
                    weights.withUnsafeBufferPointer { weights in
                        guard let start = starts.baseAddress, let pairs = counts.baseAddress,
                            let offset = offsets.baseAddress, let weight = weights.baseAddress
                        else { return }
                        let columns = alcedo_deep_columns(
                            count: starts.count, starts: start, pairs: pairs, offsets: offset, weights: weight
                        )
                        withUnsafePointer(to: columns, body)
                    }
                }
            }
        }
    }
}
