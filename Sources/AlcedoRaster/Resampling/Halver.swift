import AlcedoPixels

/// Halves both sides with the kernel (1 3 3 1)/8, a quadratic B-spline's; beyond the edges the picture goes on as at them.
///
/// Sixteen bytes at a time, by instructions that average two bytes and round up. The second pass does that on inverted
/// bytes, so that it rounds down what the first one has rounded up.
final class Halver: RowReducer {
    let size: PixelSize

    private let source: Bitmap
    /// A row that has been halved vertically, inverted, with a pixel before it and some behind.
    private let middle: UnsafeMutableRawPointer

    /// `source` has four columns or more.
    init(_ source: Bitmap) {
        self.source = source
        size = PixelSize(width: (source.width + 1) / 2, height: (source.height + 1) / 2)
        middle = .allocate(byteCount: Self.margin + source.width * 4 + 64, alignment: 16)
        middle.initializeMemory(as: UInt8.self, repeating: 0, count: Self.margin + source.width * 4 + 64)
    }

    deinit { middle.deallocate() }

    /// Bytes before the row, such that it is aligned.
    private static let margin = 16

    func write(row: Int, to output: UnsafeMutableRawPointer) {
        fill(from: Self.sources(of: row, count: source.height))
        let pixels = middle + Self.margin
        var x = 0
        while x < size.width {
            let halves = SIMD4(
                lowHalf: Self.means(around: pixels + x &* 8).evenHalf,
                highHalf: Self.means(around: pixels + (x &* 8 &+ 16)).evenHalf)
            output.storeBytes(of: ~halves, toByteOffset: x &* 4, as: SIMD4<UInt32>.self)
            x &+= 4
        }
    }

    /// Sets ``middle`` to the means of four rows.
    private func fill(from rows: SIMD4<Int>) {
        let pixels = middle + Self.margin
        let count = source.width * 4
        let base = source.unsafeBaseAddress
        let first = base + rows[0] * source.bytesPerRow
        let second = base + rows[1] * source.bytesPerRow
        let third = base + rows[2] * source.bytesPerRow
        let fourth = base + rows[3] * source.bytesPerRow
        var place = 0
        while place < count {
            place = min(place, count &- 16)
            let mean = Self.mean(
                first.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self),
                second.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self),
                third.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self),
                fourth.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self))
            pixels.storeBytes(of: ~mean, toByteOffset: place, as: SIMD16<UInt8>.self)
            place &+= 16
        }
        (pixels - 4).copyMemory(from: pixels, byteCount: 4)
        for pixel in source.width...source.width + 1 {
            (pixels + pixel * 4).copyMemory(from: pixels + (source.width - 1) * 4, byteCount: 4)
        }
    }

    /// The means for each two of four pixels and those around them; every other one is wanted.
    @inline(__always)
    private static func means(around pixels: UnsafeRawPointer) -> SIMD4<UInt32> {
        let bytes = mean(
            (pixels - 4).loadUnaligned(as: SIMD16<UInt8>.self),
            pixels.loadUnaligned(as: SIMD16<UInt8>.self),
            pixels.loadUnaligned(fromByteOffset: 4, as: SIMD16<UInt8>.self),
            pixels.loadUnaligned(fromByteOffset: 8, as: SIMD16<UInt8>.self))
        // Safe because both sides are plain bits of equal size.
        return unsafeBitCast(bytes, to: SIMD4<UInt32>.self)
    }

    /// The kernel's: 3/4 of the inner two's mean and 1/4 of the outer two's.
    @inline(__always)
    private static func mean(
        _ one: SIMD16<UInt8>,
        _ two: SIMD16<UInt8>,
        _ three: SIMD16<UInt8>,
        _ four: SIMD16<UInt8>
    ) -> SIMD16<UInt8> {
        let inner = mean(two, three)
        return mean(inner, mean(inner, mean(one, four)))
    }

    /// Rounded up; one instruction on x86-64.
    @inline(__always)
    private static func mean(_ one: SIMD16<UInt8>, _ other: SIMD16<UInt8>) -> SIMD16<UInt8> {
        (one | other) &- ((one ^ other) &>> 1)
    }
}

// MARK: - The kernel along one axis

extension Halver {
    static let kernel = SIMD4(0.125, 0.375, 0.375, 0.125)

    /// The samples that the kernel reads for sample `place` of the half as many, in order.
    static func sources(of place: Int, count: Int) -> SIMD4<Int> {
        let last = count - 1
        return SIMD4(
            max(0, min(last, 2 * place - 1)), min(last, 2 * place), min(last, 2 * place + 1),
            min(last, 2 * place + 2))
    }

    /// The sum of the products of the weights that two samples have in common.
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
