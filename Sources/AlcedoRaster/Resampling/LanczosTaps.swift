import Glibc

/// The source samples and weights of each output sample along one axis.
///
/// The filter is a three-lobed Lanczos filter, widened by the ratio on a reduction to suppress aliasing. At the edges it is
/// truncated and renormalized, so the weights of each output sample add up to 1.
struct LanczosTaps {
    /// The taps of one output sample.
    struct Sample {
        var start: Int

        /// The indices in ``LanczosTaps/weights`` of the weights, one for each source sample from `start` on.
        var weights: Range<Int>
    }

    /// In output order; neither the first nor the last source sample ever decreases.
    private(set) var samples: [Sample] = []

    /// The weights of all samples; samples with equal weights share them.
    private(set) var weights: [Double] = []

    /// The largest number of weights of a sample.
    private(set) var longest = 0

    /// The largest sum of a sample's absolute weights, which bounds the overshoot.
    private(set) var gain = 1.0

    /// Computes the taps for `outputCount` samples that cover `extent` of `count` source samples.
    ///
    /// - Parameters:
    ///   - count: The number of source samples; if `extent` covers the last one partly, its value is the average of the
    ///     covered part.
    ///   - extent: The number of source samples that the whole output covers, above `count - 1` and at most `count`.
    ///   - part: The fractional start and length of the source samples to show; nil for the whole extent. Beyond the extent,
    ///     by up to half an output sample, its edges repeat.
    ///   - outputCount: The number of output samples.
    init(count: Int, extent: Double, part: (start: Double, length: Double)? = nil, outputCount: Int) {
        let part = part ?? (0, extent)
        let step = part.length / Double(outputCount)
        let stretch = max(1, step)
        let support = 3 * stretch
        samples.reserveCapacity(outputCount)
        let divisor = Self.greatestCommonDivisor(count, outputCount)
        // Of a whole extent, the places between source samples repeat, and so do the weights.
        let period = part == (0, Double(count)) ? outputCount / divisor : outputCount
        for index in 0..<outputCount {
            let centre = min(max(0, part.start + (Double(index) + 0.5) * step), extent)
            let start = max(0, min(count - 1, Int((centre - support + 0.5).rounded(.down))))
            let end = max(start + 1, min(count, Int((centre + support + 0.5).rounded(.down))))
            let earlier = index >= period ? samples[index - period] : nil
            if let earlier, earlier.start > 0, end < count, earlier.start + count / divisor == start,
                earlier.weights.count == end - start
            {
                samples.append(Sample(start: start, weights: earlier.weights))
            } else {
                let from = weights.count
                let offset = Double(start) + 0.5 - centre
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
        }
    }

    private init() {}

    private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : greatestCommonDivisor(other, one % other)
    }

    /// The weights as fixed-point numbers with `bits` fraction bits, whose sum is exactly 1 for each sample.
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
    /// Computes cosines at equal steps by recurrence: three calls of `cos` in all instead of two of `sin` for each weight.
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

    /// The taps for samples that ``Halver`` has halved, whose combined effect approximates these taps best by least
    /// squares.
    ///
    /// The matrix of the normal equations, the kernel's overlaps, is tridiagonal.
    ///
    /// - Parameter count: The number of source samples before halving.
    /// - Returns: Taps for half as many source samples, rounded up.
    func halved(count: Int) -> LanczosTaps {
        var result = LanczosTaps()
        result.samples.reserveCapacity(samples.count)
        // The projected weights, by the first weight and the parity of the start.
        var projected: [Int: Range<Int>] = [:]
        for sample in samples {
            let start = sample.start / 2
            let end = min((count + 1) / 2, (sample.start + sample.weights.count + 1) / 2)
            let isInner = start > 0 && 2 * end < count
            let key = sample.weights.lowerBound * 2 + sample.start % 2
            if isInner, let range = projected[key] {
                result.samples.append(Sample(start: start, weights: range))
                continue
            }
            let from = result.weights.count
            result.weights += project(sample, to: start..<end, count: count)
            result.normalize(from: from)
            let range = from..<result.weights.count
            if isInner { projected[key] = range }
            result.samples.append(Sample(start: start, weights: range))
            result.longest = max(result.longest, range.count)
        }
        return result
    }

    private func project(_ sample: Sample, to range: Range<Int>, count: Int) -> [Double] {
        var values: [Double] = []
        var ratios: [Double] = []
        values.reserveCapacity(range.count)
        ratios.reserveCapacity(range.count)
        // The Thomas algorithm for tridiagonal systems.
        for position in range {
            var value = 0.0
            let sources = Halver.sources(of: position, count: count)
            for tap in 0..<4 {
                let index = sources[tap] - sample.start + sample.weights.lowerBound
                if sample.weights.contains(index) { value += Halver.kernel[tap] * weights[index] }
            }
            let above = position > range.lowerBound ? Halver.overlap(position - 1, position, count: count) : 0
            let scale = Halver.overlap(position, position, count: count) - above * (ratios.last ?? 0)
            values.append((value - above * (values.last ?? 0)) / scale)
            ratios.append(Halver.overlap(position, position + 1, count: count) / scale)
        }
        for index in values.indices.dropLast().reversed() {
            values[index] -= ratios[index] * values[index + 1]
        }
        return values
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
