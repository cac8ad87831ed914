import CResampling

/// The source columns of each output column, and their fixed-point weights.
struct ColumnPlan {
    /// How many of the source's columns, four at a time, go into each of the output's; some of them count for nothing.
    let quads: Int

    /// Four columns' weights at a time, each four times over.
    private var weights: [SIMD16<Int16>] = []

    /// For each output column, and three more times for the last one: the first source column, the weights, and the bias.
    private var starts: [Int32] = []
    private var places: [Int32] = []
    private var roundings: [Int16] = []

    /// Bits after the point in the sum.
    private let fractionBits: Int

    /// With so many bits after the point in weights and in sums.
    init(_ taps: LanczosTaps, weightBits: Int, fractionBits: Int) {
        self.fractionBits = fractionBits
        quads = (taps.longest + 3) / 4
        let values = taps.fixedPointWeights(bits: weightBits)
        // Where the weights of each sample are now, by where they were.
        var known = [Int32](repeating: -1, count: values.count)
        for sample in taps.samples {
            let first = sample.weights.lowerBound
            if known[first] < 0 {
                known[first] = Int32(weights.count)
                append(values[sample.weights])
            }
            // One half to round, and the mean loss of truncated products.
            let rounding = sample.weights.count / 2 + 1 << (fractionBits - 1)
            append(start: Int32(sample.start), place: known[first], rounding: Int16(rounding))
        }
        for _ in 0..<3 {
            let last = starts.count - 1
            append(start: starts[last], place: places[last], rounding: roundings[last])
        }
    }

    /// Bytes that it takes, about.
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

    private mutating func append(start: Int32, place: Int32, rounding: Int16) {
        starts.append(start)
        places.append(place)
        roundings.append(rounding)
    }

    /// Calls `body` with the same as the inner loops want it.
    func withColumns(_ body: (inout alcedo_columns) -> Void) {
        starts.withUnsafeBufferPointer { starts in
            places.withUnsafeBufferPointer { places in
                roundings.withUnsafeBufferPointer { roundings in
                    weights.withUnsafeBytes { weights in
                        guard let start = starts.baseAddress, let place = places.baseAddress,
                            let rounding = roundings.baseAddress, let weight = weights.baseAddress
                        else { return }
                        var columns = alcedo_columns(
                            count: starts.count - 3, starts: start, places: place, roundings: rounding,
                            weights: weight.assumingMemoryBound(to: Int16.self), quads: quads,
                            shift: Int32(fractionBits))
                        body(&columns)
                    }
                }
            }
        }
    }
}
