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
    ///   - count: Source samples; the last one may be partly outside of `extent`.
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
            if let previous = samples.last, offset == previousOffset, previous.weights.count == end - start {
                samples.append(Sample(start: start, weights: previous.weights))
            } else {
                let from = weights.count
                appendWeights(count: end - start, from: offset / stretch, step: 1 / stretch)
                samples.append(Sample(start: start, weights: from..<weights.count))
                longest = max(longest, end - start)
            }
            previousOffset = offset
        }
    }

    /// The weights times 2 to the power of `bits`, rounded such that each sample's add up to exactly that.
    func fixedPointWeights(bits: Int) -> [Int16] {
        let one = Double(1 << bits)
        var result = [Int16](repeating: 0, count: weights.count)
        var from = 0
        for sample in samples where sample.weights.lowerBound == from {
            var excess = -(1 << bits)
            var largest = from
            for index in sample.weights {
                let weight = Int((weights[index] * one).rounded())
                result[index] = Int16(weight)
                excess += weight
                if result[index] > result[largest] { largest = index }
            }
            result[largest] -= Int16(excess)
            from = sample.weights.upperBound
        }
        return result
    }

    /// Appends the filter's values at `offset`, `offset + step` and so on, scaled to add up to 1.
    ///
    /// With θ = πx/3 the filter sinc(x)·sinc(x/3) is q(3 − 4q)/3θ², where q = sin²θ = (1 − cos 2θ)/2; and
    /// cosines at equal steps follow from the two before them, so that there are three calls of `cos` instead
    /// of two of `sin` for every weight.
    private mutating func appendWeights(count: Int, from offset: Double, step: Double) {
        let turn = step * .pi / 3
        let start = offset * .pi / 3
        let twice = 2 * cos(2 * turn)
        var previous = cos(2 * (start - turn))
        var current = cos(2 * start)
        let first = weights.count
        var sum = 0.0
        var absoluteSum = 0.0
        for tap in 0..<count {
            let angle = start + Double(tap) * turn
            let square = (1 - current) / 2
            let inside = square * (3 - 4 * square) / (3 * angle * angle)
            let value = abs(angle) < 1e-3 ? 1 : abs(angle) < .pi ? inside : 0
            weights.append(value)
            sum += value
            absoluteSum += abs(value)
            (previous, current) = (current, twice * current - previous)
        }
        for index in first..<weights.count { weights[index] /= sum }
        gain = max(gain, absoluteSum / sum)
    }
}
