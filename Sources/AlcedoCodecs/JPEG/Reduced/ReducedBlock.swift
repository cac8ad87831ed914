/// The inverse DCT of a block's lowest coefficients to 1, 2 or 4 samples per side.
///
/// A sample is the mean of the samples of a full transform that it covers, without the frequencies that the reduced size
/// cannot show.
struct ReducedBlock {
    let width: Int
    let height: Int

    /// The number of coefficients in zigzag order up to the last one that is used.
    let count: Int

    /// The position of each of the 64 coefficients, in zigzag order: column-major in a 4 × 4 matrix, 16 if unused.
    let positions: [Int]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        let lowest = Self.zigzag.map { $0.column < width && $0.row < height ? 4 * $0.column + $0.row : 16 }
        positions = lowest + Array(repeating: 16, count: 64 - lowest.count)
        count = 1 + (positions.lastIndex { $0 < 16 } ?? 0)
    }

    /// Transforms coefficients, which it overwrites, to samples at `target`.
    @inline(__always)
    func write(
        _ values: UnsafeMutablePointer<Int32>,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) {
        // Constant sizes let the compiler unroll the loops.
        switch (width, height) {
        case (2, 2): write(values, to: target, stride: stride, width: 2, height: 2)
        case (4, 4): FourByFour.write(values, to: target, stride: stride)
        default: write(values, to: target, stride: stride, width: width, height: height)
        }
    }

    /// Writes the samples of a block whose AC coefficients are all 0.
    @inline(__always)
    func fill(_ average: Int32, to target: UnsafeMutablePointer<UInt8>, stride: Int) {
        let value = 1448 &* ((1448 &* average) &>> 6 &+ Self.bias)
        let sample = Self.byte(value &>> 18)
        for row in 0..<height {
            for column in 0..<width { target[row &* stride &+ column] = sample }
        }
    }

    @inline(__always)
    private func write(
        _ values: UnsafeMutablePointer<Int32>,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int,
        width: Int,
        height: Int
    ) {
        for row in 0..<height { Self.transform(values + row, step: 4, count: width, shift: 6) }
        for column in 0..<width {
            values[4 &* column] &+= Self.bias
            Self.transform(values + 4 &* column, step: 1, count: height, shift: 18)
            for row in 0..<height {
                target[row &* stride &+ column] = Self.byte(values[4 &* column &+ row])
            }
        }
    }

    @inline(__always)
    private static func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }

    /// Half a step and middle grey, scaled to the input of the second transform.
    private static let bias: Int32 = (128 << 18 + 1 << 17) / 1448

    /// A one-dimensional transform (T.81, A.3.3), times 4096; each sample is a mean of samples of a full transform.
    ///
    /// The factor of coefficient 0 is 4096 / √8. That of coefficient u is 2048 times the mean of cos((2x + 1)uπ/16) over
    /// the samples x of the full transform.
    @inline(__always)
    private static func transform(
        _ values: UnsafeMutablePointer<Int32>,
        step: Int,
        count: Int,
        shift: Int32
    ) {
        let average = 1448 &* values[0]
        switch count {
        case 1: values[0] = average &>> shift
        case 2:
            let slope = 1312 &* values[step]
            values[0] = (average &+ slope) &>> shift
            values[step] = (average &- slope) &>> shift
        default:
            let (one, two, three) = (values[step], 1338 &* values[2 &* step], values[3 &* step])
            let (outer, inner) = (1856 &* one &+ 652 &* three, 769 &* one &- 1573 &* three)
            values[0] = (average &+ two &+ outer) &>> shift
            values[step] = (average &- two &+ inner) &>> shift
            values[2 &* step] = (average &- two &- inner) &>> shift
            values[3 &* step] = (average &+ two &- outer) &>> shift
        }
    }

    /// Column and row of each coefficient (T.81, figure A.6), up to the last one of the lowest 4 × 4.
    private static let zigzag: [(column: Int, row: Int)] = [
        (0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (2, 0), (3, 0), (2, 1), (1, 2), (0, 3), (0, 4), (1, 3),
        (2, 2), (3, 1), (4, 0), (5, 0), (4, 1), (3, 2), (2, 3), (1, 4), (0, 5), (0, 6), (1, 5), (2, 4),
        (3, 3),
    ]
}
