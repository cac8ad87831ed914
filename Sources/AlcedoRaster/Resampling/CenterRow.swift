import CResampling

/// The row between the two passes: filtered vertically, and as wide as the source.
struct CenterRow: ~Copyable {
    /// Fraction bits of a channel.
    ///
    /// The kernel multiplies a byte × 256 by a weight, and keeps the upper 16 bits. Channels are centred on 0 by
    /// subtracting 128, so an `Int16` holds nearly twice a byte's range.
    static let fractionBits = RowPlan.weightBits + 8 - 16

    private let width: Int
    private let channels: UnsafeMutablePointer<Int16>
    private let loops: alcedo_resampling

    /// Allocates a row of zeros with a padding of `quads` groups of four pixels.
    init(width: Int, quads: Int, loops: alcedo_resampling = .best) {
        self.width = width
        self.loops = loops
        channels = .allocate(capacity: (width + 4 * quads) * 4)
        channels.initialize(repeating: 0, count: (width + 4 * quads) * 4)
    }

    deinit { channels.deallocate() }

    /// Sets the row to the weighted sum of `sources`, which are in the order of `row.terms`.
    func fill(_ row: RowPlan.Row, of plan: borrowing RowPlan, from sources: [UnsafeRawPointer]) {
        let (added, count) = (row.addedCount, row.terms.count)
        // The mean truncation error of the products, and the 128 to subtract.
        let start = Int16((added - (count - added)) / 2 - (128 << Self.fractionBits))
        plan.weights.withUnsafeBytes { weights in
            guard let all = weights.baseAddress else { return }
            let first = all + row.terms.lowerBound * MemoryLayout<SIMD16<UInt16>>.stride
            loops.fill(
                channels, sources, first.assumingMemoryBound(to: UInt16.self), added, count, start, width)
        }
    }

    /// Filters horizontally into one row of the output; scales pixels with an alpha above 255, and clamps colours to 0…alpha.
    func write(to output: UnsafeMutableRawPointer, columns: inout alcedo_columns) {
        loops.write(output.assumingMemoryBound(to: UInt8.self), channels, &columns)
    }
}

extension alcedo_resampling {
    /// The fastest variant for this processor.
    static let best = alcedo_best_resampling().pointee
}
