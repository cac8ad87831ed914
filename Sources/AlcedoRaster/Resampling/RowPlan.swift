/// The vertical pass: for each output row its source rows and fixed-point weights.
struct RowPlan {
    struct Row {
        var start: Int

        /// Indices of the row's terms in ``RowPlan/offsets`` and ``RowPlan/weights``.
        var terms: Range<Int>

        /// Terms with a positive weight, which come first; the kernel subtracts the others.
        ///
        /// The sign is separate because the kernel multiplies unsigned numbers with one instruction.
        var addedCount: Int
    }

    /// Fraction bits of a weight.
    static let weightBits = 15

    private(set) var rows: [Row] = []

    /// The source row of each term, relative to ``Row/start``.
    private(set) var offsets: [Int] = []

    /// The magnitude of each term's weight, repeated for each lane.
    private(set) var weights: [SIMD16<UInt16>] = []

    /// The largest number of source rows of an output row.
    let longest: Int

    init(_ taps: LanczosTaps) {
        longest = taps.longest
        let values = taps.fixedPointWeights(bits: Self.weightBits)
        // The first row with each set of weights, by the index of the first weight.
        var firstRows = [Int](repeating: -1, count: values.count)
        rows.reserveCapacity(taps.samples.count)
        for sample in taps.samples {
            let firstRow = firstRows[sample.weights.lowerBound]
            if firstRow >= 0 {
                rows.append(rows[firstRow])
                rows[rows.count - 1].start = sample.start
                continue
            }
            firstRows[sample.weights.lowerBound] = rows.count
            let first = offsets.count
            append(sample.weights, of: values) { $0 > 0 }
            let addedCount = offsets.count - first
            append(sample.weights, of: values) { $0 < 0 }
            rows.append(Row(start: sample.start, terms: first..<offsets.count, addedCount: addedCount))
        }
    }

    /// Approximate memory, in bytes.
    var byteCount: Int { rows.count * MemoryLayout<Row>.stride + weights.count * 40 }

    private mutating func append(_ range: Range<Int>, of values: [Int], where isWanted: (Int) -> Bool) {
        for (offset, index) in range.enumerated() where isWanted(values[index]) {
            offsets.append(offset)
            weights.append(SIMD16(repeating: UInt16(abs(values[index]))))
        }
    }
}
