import CResampling

/// One row between the two passes: as wide as the source, filtered vertically, not yet horizontally.
struct CenterRow: ~Copyable {
    /// Bits after the point of the row's channels, which have 128 subtracted, so that an `Int16` can hold
    /// nearly twice a byte's range.
    static let fractionBits = RowPlan.weightBits + 8 - 16

    private let width: Int
    private let channels: UnsafeMutablePointer<Int16>
    private let loops: alcedo_resampling

    /// A row of zeros, behind which as many more can be read as `quads` of pixels have.
    init(width: Int, quads: Int, loops: alcedo_resampling = .best) {
        self.width = width
        self.loops = loops
        channels = .allocate(capacity: (width + 4 * quads) * 4)
        channels.initialize(repeating: 0, count: (width + 4 * quads) * 4)
    }

    deinit { channels.deallocate() }

    /// Sets the row to the weighted sum of `sources`, which stand there in the order of the terms of `row`.
    func fill(_ row: RowPlan.Row, of plan: borrowing RowPlan, from sources: [UnsafeRawPointer]) {
        let (added, count) = (row.addedCount, row.terms.count)
        // The mean loss of truncated products, and the subtracted 128.
        let start = Int16((added - (count - added)) / 2 - (128 << Self.fractionBits))
        plan.weights.withUnsafeBytes { weights in
            guard let all = weights.baseAddress else { return }
            let first = all + row.terms.lowerBound * MemoryLayout<SIMD16<UInt16>>.stride
            loops.fill(
                channels, sources, first.assumingMemoryBound(to: UInt16.self), added, count, start, width)
        }
    }

    /// Writes one row of the output, keeping every colour within 0…alpha.
    func write(to output: UnsafeMutableRawPointer, columns: inout alcedo_columns) {
        loops.write(output.assumingMemoryBound(to: UInt8.self), channels, &columns)
    }
}

extension alcedo_resampling {
    /// The inner loops for the processor that this runs on.
    static let best = alcedo_best_resampling().pointee
}
