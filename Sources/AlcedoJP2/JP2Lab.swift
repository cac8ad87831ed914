import AlcedoCodecs
import Glibc

/// CIE L\*a\*b\* as an enumerated colour space has it (ISO/IEC 15444-2, M.11.7.4.1).
struct JP2Lab {
    /// The ranges and the offsets of L\*, a\* and b\*; nil for those of the standard, which depend on the bits of a channel.
    private let given: (ranges: [Float], offsets: [Float])?
    /// From light relative to the white to linear sRGB; rows of three.
    private let factors: [Float]

    /// Reads the parameters, if there are any; nil for an illuminant that is not among the standard's.
    init?(_ content: Range<Int>, _ bytes: RawSpan) {
        let values = (0..<7).compactMap { index in
            content.count >= 28 ? bytes.u32BE(content.lowerBound + 4 * index) : nil
        }
        guard values.count == 7 else {
            (given, factors) = (nil, Self.factors(white: (0.34567, 0.3585)))
            return
        }
        guard let white = Self.whites[values[6]] else { return nil }
        given = ([0, 2, 4].map { Float(values[$0]) }, [1, 3, 5].map { Float(values[$0]) })
        factors = Self.factors(white: white)
    }

    /// Chromaticities by the names of illuminants: D50, D55, D65, D75, SA, SC, F2, F7, F11.
    private static let whites: [Int: (x: Double, y: Double)] = [
        0x0044_3530: (0.34567, 0.3585), 0x0044_3535: (0.33242, 0.34743), 0x0044_3635: (0.3127, 0.329),
        0x0044_3735: (0.29902, 0.31485), 0x5341: (0.44757, 0.40745), 0x5343: (0.31006, 0.31616),
        0x4632: (0.37208, 0.37529), 0x4637: (0.31292, 0.32933), 0x46_3131: (0.38052, 0.37713),
    ]

    /// Adapts by Bradford's matrix; neutral colours stay neutral.
    private static func factors(white: (x: Double, y: Double)) -> [Float] {
        let bradford = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296]
        let back = [
            0.9869929, -0.1470543, 0.1599627, 0.4323053, 0.5183603, 0.0492912, -0.0085287, 0.0400428,
            0.9684867,
        ]
        // From CIE XYZ with the white D65, to which the light is adapted.
        let toSRGB = [
            3.2404542, -1.5371385, -0.4985314, -0.969266, 1.8760108, 0.041556, 0.0556434, -0.2040259,
            1.0572252,
        ]
        func tristimulus(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
        func product(_ one: [Double], _ other: [Double]) -> [Double] {
            let columns = other.count / 3
            return (0..<3 * columns).map { index -> Double in
                let row = index / columns * 3
                let column = index % columns
                return (0..<3).reduce(0.0) { $0 + one[row + $1] * other[$1 * columns + column] }
            }
        }
        let source = tristimulus(white.x, white.y)
        let cones = product(bradford, source)
        let target = product(bradford, tristimulus(0.3127, 0.329))
        var adapting = bradford
        for index in 0..<9 { adapting[index] *= target[index / 3] / cones[index / 3] }
        var all = product(toSRGB, product(back, adapting))
        for index in 0..<9 { all[index] *= source[index % 3] }
        return all.map { Float($0) }
    }

    /// For channels of so many bits: what to subtract from unsigned samples, and then the factors.
    func scaling(depths: [Int]) -> (zeros: [Float], scales: [Float]) {
        let ranges = given?.ranges ?? [100, 170, 200]
        let usual = depths.prefix(3).enumerated().map { channel, depth in
            Float(1 << depth) * [0, 0.5, 0.375][channel]
        }
        let scales = zip(ranges, depths).map { $0 / Float(1 << $1 - 1) }
        return (given?.offsets ?? usual, scales)
    }

    /// Converts L\*, a\* and b\* in place to sRGB from 0 to 255.
    func apply(_ planes: inout [[Float]], count: Int) {
        for column in 0..<count {
            let middle = (planes[0][column] + 16) / 116
            let x = Self.light(middle + planes[1][column] / 500)
            let y = Self.light(middle)
            let z = Self.light(middle - planes[2][column] / 200)
            for channel in 0..<3 {
                let linear =
                    factors[channel * 3] * x + factors[channel * 3 + 1] * y + factors[channel * 3 + 2] * z
                planes[channel][column] = Self.encoded(linear)
            }
        }
    }

    private static func light(_ value: Float) -> Float {
        value > 6 / 29 ? value * value * value : (value - 4 / 29) * 108 / 841
    }

    private static func encoded(_ linear: Float) -> Float {
        guard linear > 0.0031308 else { return max(linear, 0) * 12.92 * 255 }
        return linear < 1 ? (1.055 * powf(linear, 1 / 2.4) - 0.055) * 255 : 255
    }
}
