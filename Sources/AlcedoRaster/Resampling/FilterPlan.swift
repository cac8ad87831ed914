/// How one resampling computes: taps of both axes, and where the point is in their fixed-point numbers.
///
/// Everything is done on sixteen-bit lanes, of a product only the upper half is kept, and channels are
/// centred on zero by subtracting 128. There are as many bits after the point as overshoot leaves room for.
struct FilterPlan {
    /// How one column of the output is made.
    struct Column {
        /// The first column of the source.
        var start: Int

        /// Where its ``FilterPlan/pairs`` elements of ``FilterPlan/columnWeights`` start.
        var place: Int

        /// What to add to the sum: one half, and what dropping the lower halves of products loses on average.
        var rounding: Int16
    }

    /// Of the rows of the output.
    let vertical: LanczosTaps

    /// How many pairs of the source's columns go into each of the output's; some of them count for nothing.
    let pairs: Int

    /// Two columns' weights at a time, each four times over.
    let columnWeights: [SIMD8<Int16>]

    /// In the order of the output.
    let columns: [Column]

    /// One weight a row, ``MiddleRow/weightBits`` bits after the point; `vertical` tells which.
    let rowWeights: [Int]

    /// Bits after the point in the outcome.
    let fractionBits: Int

    init(horizontal: LanczosTaps, vertical: LanczosTaps) {
        self.vertical = vertical

        rowWeights = vertical.fixedPointWeights(bits: MiddleRow.weightBits)
        // What the filter can reach must fit an Int16, with a little to spare for rounding.
        let room = 32_000 / (128 * vertical.gain * horizontal.gain)
        var bits = 16
        while Double(1 << (MiddleRow.fractionBits + bits - 16)) > room { bits -= 1 }
        for weight in horizontal.weights {
            while abs(weight) * Double(1 << bits) > 32_700 { bits -= 1 }
        }
        fractionBits = MiddleRow.fractionBits + bits - 16

        let weights = horizontal.fixedPointWeights(bits: bits).map { Int16($0) }
        pairs = (horizontal.longest + 1) / 2
        var columnWeights: [SIMD8<Int16>] = []
        var columns: [Column] = []
        columns.reserveCapacity(horizontal.samples.count)
        // Where the weights of each sample are now, by where they were.
        var places: [Int: Int] = [:]
        for sample in horizontal.samples {
            let first = sample.weights.lowerBound
            let place = places[first] ?? columnWeights.count
            if places[first] == nil {
                places[first] = place
                func weight(_ index: Int) -> SIMD4<Int16> {
                    SIMD4(repeating: index < sample.weights.upperBound ? weights[index] : 0)
                }
                for pair in 0..<pairs {
                    let index = first + 2 * pair
                    columnWeights.append(SIMD8(lowHalf: weight(index), highHalf: weight(index + 1)))
                }
            }
            let lost = sample.weights.count / 2
            columns.append(
                Column(
                    start: sample.start, place: place, rounding: Int16(lost + (1 << (fractionBits - 1)))))
        }
        self.columnWeights = columnWeights
        self.columns = columns
    }
}

/// The upper halves of products: one instruction on x86-64.
@inline(__always)
func upperHalfOfProduct(_ left: SIMD8<Int16>, _ right: SIMD8<Int16>) -> SIMD8<Int16> {
    let product = SIMD8<Int32>(truncatingIfNeeded: left) &* SIMD8<Int32>(truncatingIfNeeded: right)
    return SIMD8(truncatingIfNeeded: product &>> SIMD8(repeating: 16))
}

/// The upper halves of unsigned products: one instruction on x86-64.
@inline(__always)
func upperHalfOfProduct(_ left: SIMD8<UInt16>, _ right: SIMD8<UInt16>) -> SIMD8<Int16> {
    let product = SIMD8<UInt32>(truncatingIfNeeded: left) &* SIMD8<UInt32>(truncatingIfNeeded: right)
    return SIMD8(truncatingIfNeeded: product &>> SIMD8(repeating: 16))
}
