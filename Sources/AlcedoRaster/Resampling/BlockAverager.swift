import AlcedoPixels

/// Averages whole blocks of pixels: a quick first step of a large reduction.
final class BlockAverager {
    /// The longest side of a block, such that no sum overflows.
    static let longestSide = 255

    /// Blocks from left to right and from top to bottom.
    let size: PixelSize

    private let source: Bitmap
    private let columns: Int
    private let rows: Int
    private let sums: UnsafeMutablePointer<SIMD4<UInt16>>

    init(_ source: Bitmap, columns: Int, rows: Int) {
        self.source = source
        self.columns = columns
        self.rows = rows
        size = PixelSize(
            width: (source.width + columns - 1) / columns,
            height: (source.height + rows - 1) / rows
        )
        sums = UnsafeMutableRawPointer.allocate(byteCount: source.width * 8, alignment: 16)
            .bindMemory(to: SIMD4<UInt16>.self, capacity: source.width)
    }

    deinit { sums.deallocate() }

    /// Writes the averages of one row of blocks, `size.width` pixels.
    func write(row: Int, to output: UnsafeMutableRawPointer) {
        let first = row * rows
        let count = min(rows, source.height - first)
        addUp(source.unsafeBaseAddress + first * source.bytesPerRow, rows: count)

        let full = source.width / columns
        average(blocks: 0..<full, columns: columns, pixels: columns * count, to: output)
        let rest = source.width - full * columns
        if rest > 0 { average(blocks: full..<full + 1, columns: rest, pixels: rest * count, to: output) }
    }

    /// Sets ``sums`` to the sums of columns.
    ///
    /// Goes through one row after the other, which is what processors fetch ahead best.
    private func addUp(_ top: UnsafeRawPointer, rows: Int) {
        sums.update(repeating: .zero, count: source.width)
        let target = UnsafeMutableRawPointer(sums)
        let width = source.width
        for row in 0..<rows {
            let pixels = top + row * source.bytesPerRow
            var x = 0
            while x &+ 4 <= width {
                let four = pixels.loadUnaligned(fromByteOffset: x &* 4, as: SIMD16<UInt8>.self)
                let place = target + x &* 8
                let left = place.load(as: SIMD8<UInt16>.self) &+ SIMD8(truncatingIfNeeded: four.lowHalf)
                let right =
                    place.load(fromByteOffset: 16, as: SIMD8<UInt16>.self)
                    &+ SIMD8(truncatingIfNeeded: four.highHalf)
                place.storeBytes(of: left, as: SIMD8<UInt16>.self)
                place.storeBytes(of: right, toByteOffset: 16, as: SIMD8<UInt16>.self)
                x &+= 4
            }
            while x < width {
                let pixel = pixels.loadUnaligned(fromByteOffset: x &* 4, as: SIMD4<UInt8>.self)
                sums[x] &+= SIMD4(truncatingIfNeeded: pixel)
                x &+= 1
            }
        }
    }

    /// Adds up `columns` of ``sums`` for each block and divides by `pixels`, rounding to the nearest.
    private func average(blocks: Range<Int>, columns: Int, pixels: Int, to output: UnsafeMutableRawPointer) {
        let reciprocal = SIMD4<UInt32>(repeating: UInt32(((1 << 24) + pixels / 2) / pixels))
        let half = SIMD4<UInt32>(repeating: 1 << 23)
        let shift = SIMD4<UInt32>(repeating: 24)
        var column = sums + blocks.lowerBound * self.columns
        for block in blocks {
            var sum = SIMD4<UInt32>.zero
            for _ in 0..<columns {
                sum &+= SIMD4(truncatingIfNeeded: column.pointee)
                column += 1
            }
            let mean = (sum &* reciprocal &+ half) &>> shift
            output.storeBytes(
                of: SIMD4<UInt8>(truncatingIfNeeded: mean),
                toByteOffset: block * 4,
                as: SIMD4<UInt8>.self
            )
        }
    }
}
