/// Copies columns of pixels into rows; `Pixel` is an integer as large as a pixel.
struct Transposition<Pixel: SIMDScalar> {
    /// The source pixel that becomes the upper left one of the result.
    let source: UnsafePointer<Pixel>

    /// Stride in the source between two rows of the result: 1 or -1.
    let columnStep: Int

    /// Stride in the source between two columns of the result: the source's width or its negative.
    let rowStep: Int

    /// The upper left pixel of the result.
    let target: UnsafeMutablePointer<Pixel>

    /// Pixels in a row of the result.
    let width: Int

    /// Writes a rectangle of the result.
    func move(rows: Range<Int>, columns: Range<Int>) {
        var y = rows.lowerBound
        while y &+ 4 <= rows.upperBound {
            var x = columns.lowerBound
            while x &+ 4 <= columns.upperBound {
                moveSixteen(x, y)
                x &+= 4
            }
            moveSingly(rows: y..<y &+ 4, columns: x..<columns.upperBound)
            y &+= 4
        }
        moveSingly(rows: y..<rows.upperBound, columns: columns)
    }

    private func moveSingly(rows: Range<Int>, columns: Range<Int>) {
        for y in rows {
            for x in columns { target[y &* width &+ x] = source[y &* columnStep &+ x &* rowStep] }
        }
    }

    /// Transposes 4 × 4 pixels in registers.
    @inline(__always)
    private func moveSixteen(_ x: Int, _ y: Int) {
        let isForward = columnStep > 0
        let leftmost = source + (y &* columnStep &+ x &* rowStep &- (isForward ? 0 : 3))
        let first = Self.load(leftmost)
        let second = Self.load(leftmost + rowStep)
        let third = Self.load(leftmost + 2 &* rowStep)
        let fourth = Self.load(leftmost + 3 &* rowStep)
        let step = isForward ? width : -width
        let output = target + ((isForward ? y : y &+ 3) &* width &+ x)
        Self.store(SIMD4(first[0], second[0], third[0], fourth[0]), to: output)
        Self.store(SIMD4(first[1], second[1], third[1], fourth[1]), to: output + step)
        Self.store(SIMD4(first[2], second[2], third[2], fourth[2]), to: output + 2 &* step)
        Self.store(SIMD4(first[3], second[3], third[3], fourth[3]), to: output + 3 &* step)
    }

    @inline(__always)
    private static func load(_ pixels: UnsafePointer<Pixel>) -> SIMD4<Pixel> {
        UnsafeRawPointer(pixels).loadUnaligned(as: SIMD4<Pixel>.self)
    }

    @inline(__always)
    private static func store(_ four: SIMD4<Pixel>, to pixels: UnsafeMutablePointer<Pixel>) {
        UnsafeMutableRawPointer(pixels).storeBytes(of: four, as: SIMD4<Pixel>.self)
    }
}
