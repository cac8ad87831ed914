import CResampling

/// The horizontal pass: for each output column its source columns and fixed-point weights.
struct ColumnPlan {
    /// Groups of four source columns that each output column reads; padding has weight 0.
    let quads: Int

    /// The weights of four columns in each vector, each repeated for four channels.
    private var weights: [SIMD16<Int16>] = []

    // For each output column its first source column, its first vector in `weights`, and the term that rounds its sum. The
    // last entry is repeated three times, because the kernel writes four columns at a time.
    private var starts: [Int32] = []
    private var weightOffsets: [Int32] = []
    private var roundings: [Int16] = []
    private let fractionBits: Int

    init(_ taps: LanczosTaps, weightBits: Int, fractionBits: Int) {
        self.fractionBits = fractionBits
        quads = (taps.longest + 3) / 4
        let values = taps.fixedPointWeights(bits: weightBits)
        // Indices into `weights`, by the index of the first value; samples with equal weights share them.
        var offsets = [Int32](repeating: -1, count: values.count)
        for sample in taps.samples {
            let first = sample.weights.lowerBound
            if offsets[first] < 0 {
                offsets[first] = Int32(weights.count)
                append(values[sample.weights])
            }
            // 0.5, and the mean truncation error of the products.
            let rounding = sample.weights.count / 2 + 1 << (fractionBits - 1)
            append(start: Int32(sample.start), weightOffset: offsets[first], rounding: Int16(rounding))
        }
        for _ in 0..<3 {
            let last = starts.count - 1
            append(start: starts[last], weightOffset: weightOffsets[last], rounding: roundings[last])
        }
    }

    /// Approximate memory, in bytes.
    var byteCount: Int { weights.count * 32 + starts.count * 10 }

    private mutating func append(_ values: ArraySlice<Int>) {
        for quad in 0..<quads {
            var four = SIMD16<Int16>.zero
            for lane in 0..<16 {
                let index = values.startIndex + 4 * quad + lane / 4
                if index < values.endIndex { four[lane] = Int16(values[index]) }
            }
            weights.append(four)
        }
    }

    private mutating func append(start: Int32, weightOffset: Int32, rounding: Int16) {
        starts.append(start)
        weightOffsets.append(weightOffset)
        roundings.append(rounding)
    }

    /// Calls `body` with the C kernel's view of the plan, valid only inside `body`.
    func withColumns(_ body: (inout alcedo_columns) -> Void) {
        starts.withUnsafeBufferPointer { starts in
            weightOffsets.withUnsafeBufferPointer { weightOffsets in
                roundings.withUnsafeBufferPointer { roundings in
                    weights.withUnsafeBytes { weights in
                        guard let start = starts.baseAddress, let weightOffset = weightOffsets.baseAddress,
                            let rounding = roundings.baseAddress, let weight = weights.baseAddress
                        else { return }
                        var columns = alcedo_columns(
                            count: starts.count - 3, starts: start, weight_offsets: weightOffset,
                            roundings: rounding,
                            weights: weight.assumingMemoryBound(to: Int16.self), quads: quads,
                            shift: Int32(fractionBits))
                        body(&columns)
                    }
                }
            }
        }
    }
}
