/// The source rows of each output row, and their fixed-point weights.
struct RowPlan {
    /// One row of the output.
    struct Row {
        /// The first row of its neighbourhood.
        var start: Int

        /// Where its terms are in ``RowPlan/offsets`` and ``RowPlan/weights``.
        var terms: Range<Int>

        /// The number of taps with positive weights, which come first; the others are subtracted.
        ///
        /// They are separate because the multiply instruction takes unsigned numbers.
        var addedCount: Int
    }

    /// Bits after the point of a weight.
    static let weightBits = 15

    private(set) var rows: [Row] = []

    /// Which row of the neighbourhood each term is.
    private(set) var offsets: [Int] = []

    /// The size of each term's weight, once for each lane.
    private(set) var weights: [SIMD16<UInt16>] = []

    /// The most rows that a neighbourhood has.
    let longest: Int

    init(_ taps: LanczosTaps) {
        longest = taps.longest
        let values = taps.fixedPointWeights(bits: Self.weightBits)
        // A row with the same weights, by where these are.
        var twins = [Int](repeating: -1, count: values.count)
        rows.reserveCapacity(taps.samples.count)
        for sample in taps.samples {
            let twin = twins[sample.weights.lowerBound]
            if twin >= 0 {
                rows.append(rows[twin])
                rows[rows.count - 1].start = sample.start
                continue
            }
            twins[sample.weights.lowerBound] = rows.count
            let first = offsets.count
            append(sample.weights, of: values) { $0 > 0 }
            let addedCount = offsets.count - first
            append(sample.weights, of: values) { $0 < 0 }
            rows.append(Row(start: sample.start, terms: first..<offsets.count, addedCount: addedCount))
        }
    }

    /// Bytes that it takes, about.
    var byteCount: Int { rows.count * MemoryLayout<Row>.stride + weights.count * 40 }

    private mutating func append(_ range: Range<Int>, of values: [Int], where isWanted: (Int) -> Bool) {
        for (offset, index) in range.enumerated() where isWanted(values[index]) {
            offsets.append(offset)
            weights.append(SIMD16(repeating: UInt16(abs(values[index]))))
        }
    }
}
