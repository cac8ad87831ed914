import AlcedoPixels
import CResampling

/// Halves both sides with the kernel (1 3 3 1)/8, that of a quadratic B-spline; edge pixels are repeated outwards.
///
/// Uses instructions that average two bytes and round up. The second pass works on inverted bytes, so it rounds down what
/// the first pass rounded up.
final class Halver: RowReducer {
    let size: PixelSize

    private let source: any RowProvider
    private let sourceSize: PixelSize
    private let loops: alcedo_resampling
    /// A row after the vertical pass, inverted, with ``margins`` around it.
    private let intermediate: UnsafeMutablePointer<UInt8>

    /// Halves `source`, which must have at least four columns.
    init(_ source: any RowProvider, loops: alcedo_resampling = .best) {
        self.source = source
        sourceSize = source.size
        self.loops = loops
        size = PixelSize(width: (sourceSize.width + 1) / 2, height: (sourceSize.height + 1) / 2)
        let count = Self.margins.before + sourceSize.width * 4 + Self.margins.behind
        intermediate = .allocate(capacity: count)
        intermediate.initialize(repeating: 0, count: count)
    }

    deinit { intermediate.deallocate() }

    /// Bytes before and after the row: the kernel loads 32 at a time, for a number of pixels rounded up to eight.
    private static let margins = (before: 32, behind: 96)

    func write(row: Int, to output: UnsafeMutableRawPointer) {
        let rows = Self.sources(of: row, count: sourceSize.height)
        let pixels = intermediate + Self.margins.before
        func address(_ row: Int) -> UnsafePointer<UInt8> {
            source.row(row).assumingMemoryBound(to: UInt8.self)
        }
        loops.halve_rows(
            pixels, address(rows[0]), address(rows[1]), address(rows[2]), address(rows[3]),
            sourceSize.width * 4,
            sourceSize.width * 4)
        (pixels - 4).update(from: pixels, count: 4)
        for pixel in sourceSize.width...sourceSize.width + 1 {
            (pixels + pixel * 4).update(from: pixels + (sourceSize.width - 1) * 4, count: 4)
        }
        loops.halve_columns(output.assumingMemoryBound(to: UInt8.self), pixels, size.width)
    }
}

// MARK: - The kernel along one axis

extension Halver {
    static let kernel = SIMD4(0.125, 0.375, 0.375, 0.125)

    /// The four source samples of the halved sample `position`, clamped to the edges.
    static func sources(of position: Int, count: Int) -> SIMD4<Int> {
        let last = count - 1
        return SIMD4(
            max(0, min(last, 2 * position - 1)), min(last, 2 * position), min(last, 2 * position + 1),
            min(last, 2 * position + 2))
    }

    /// The inner product of the kernels of two halved samples.
    static func overlap(_ one: Int, _ other: Int, count: Int) -> Double {
        if min(one, other) > 0, 2 * max(one, other) + 2 < count {
            return one == other ? 20 / 64 : abs(one - other) == 1 ? 6 / 64 : 0
        }
        var sum = 0.0
        let (left, right) = (sources(of: one, count: count), sources(of: other, count: count))
        for tap in 0..<4 {
            for same in 0..<4 where left[tap] == right[same] { sum += kernel[tap] * kernel[same] }
        }
        return sum
    }
}
