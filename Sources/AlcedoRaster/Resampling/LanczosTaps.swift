import Glibc

/// Which source samples make up each output sample along one axis, and with what weights.
///
/// The filter is Lanczos with three lobes. On a reduction it is stretched by the ratio, so that it cuts off
/// what the output cannot show. At the borders the filter is cut off and what remains is scaled up, so that
/// the weights of each output sample add up to 1.
struct LanczosTaps {
    /// One output sample's neighbourhood.
    struct Sample {
        /// The first source sample.
        var start: Int

        /// One weight for each source sample from `start` on: where they are in ``LanczosTaps/weights``.
        var weights: Range<Int>
    }

    /// In the order of the output; neither end of the neighbourhood ever moves back.
    private(set) var samples: [Sample] = []

    /// Of all samples; samples that need the same weights share them.
    private(set) var weights: [Double] = []

    /// The most weights that a sample has.
    private(set) var longest = 0

    /// The largest sum of a sample's absolute weights: by how much the filter can overshoot.
    private(set) var gain = 1.0

    /// Finds the taps for `outputCount` samples that cover `extent` source samples, of which there are
    /// `count`.
    ///
    /// - Parameters:
    ///   - count: Source samples; where the last one is partly outside of `extent`, it is an average of
    ///     what is inside.
    ///   - extent: How many source samples the output covers, from more than `count - 1` up to `count`.
    ///   - outputCount: Output samples.
    init(count: Int, extent: Double, outputCount: Int) {
        let step = extent / Double(outputCount)
        let stretch = max(1, step)
        let support = 3 * stretch
        samples.reserveCapacity(outputCount)
        var previousOffset = Double.nan
        for index in 0..<outputCount {
            let centre = (Double(index) + 0.5) * step
            let start = max(0, min(count - 1, Int((centre - support + 0.5).rounded(.down))))
            let end = max(start + 1, min(count, Int((centre + support + 0.5).rounded(.down))))
            let offset = Double(start) + 0.5 - centre
            let isRepeated = offset == previousOffset && end < count
            if let previous = samples.last, isRepeated, previous.weights.count == end - start {
                samples.append(Sample(start: start, weights: previous.weights))
            } else {
                let from = weights.count
                appendValues(count: end - start, from: offset / stretch, step: 1 / stretch)
                let share = extent - Double(count - 1)
                if end == count, share < 1 {
                    let middle = Double(count - 1) + share / 2
                    weights[weights.count - 1] = share * Self.value(at: (middle - centre) / stretch)
                }
                normalize(from: from)
                samples.append(Sample(start: start, weights: from..<weights.count))
                longest = max(longest, end - start)
            }
            previousOffset = offset
        }
    }

    /// The weights times 2 to the power of `bits`, rounded such that each sample's add up to exactly that.
    func fixedPointWeights(bits: Int) -> [Int] {
        let one = Double(1 << bits)
        var result = [Int](repeating: 0, count: weights.count)
        var from = 0
        for sample in samples where sample.weights.lowerBound == from {
            var excess = -(1 << bits)
            var largest = from
            for index in sample.weights {
                let weight = Int((weights[index] * one).rounded())
                result[index] = weight
                excess += weight
                if result[index] > result[largest] { largest = index }
            }
            result[largest] -= excess
            from = sample.weights.upperBound
        }
        return result
    }

    /// Appends the filter's values at `offset`, `offset + step` and so on.
    ///
    /// Cosines at equal steps follow from the two before them, so that there are three calls of `cos` in all,
    /// instead of two of `sin` for every weight.
    private mutating func appendValues(count: Int, from offset: Double, step: Double) {
        let turn = step * .pi / 3
        let start = offset * .pi / 3
        let twice = 2 * cos(2 * turn)
        var previous = cos(2 * (start - turn))
        var current = cos(2 * start)
        for tap in 0..<count {
            weights.append(Self.value(angle: start + Double(tap) * turn, cosineOfTwice: current))
            (previous, current) = (current, twice * current - previous)
        }
    }

    private static func value(at x: Double) -> Double {
        value(angle: x * .pi / 3, cosineOfTwice: cos(x * .pi / 3 * 2))
    }

    /// The filter sinc(x)·sinc(x/3), given θ = πx/3 and cos 2θ.
    ///
    /// It is q(3 − 4q)/3θ², where q = sin²θ = (1 − cos 2θ)/2.
    private static func value(angle: Double, cosineOfTwice: Double) -> Double {
        if abs(angle) < 1e-3 { return 1 }
        if abs(angle) >= .pi { return 0 }
        let square = (1 - cosineOfTwice) / 2
        return square * (3 - 4 * square) / (3 * angle * angle)
    }

    /// Scales the weights from `first` on to add up to 1.
    private mutating func normalize(from first: Int) {
        var sum = 0.0
        var absoluteSum = 0.0
        for weight in weights[first...] {
            sum += weight
            absoluteSum += abs(weight)
        }
        for index in first..<weights.count { weights[index] /= sum }
        gain = max(gain, absoluteSum / sum)
    }
}
