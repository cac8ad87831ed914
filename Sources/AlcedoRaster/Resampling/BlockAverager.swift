import AlcedoPixels

/// Averages whole blocks of pixels; those at the right and lower borders may be smaller than the others.
final class BlockAverager: RowReducer {
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
    /// Works row by row, which suits the processor's prefetcher.
    private func addUp(_ top: UnsafeRawPointer, rows: Int) {
        addUp(top) { _, pixels in pixels }
        for row in 1..<max(rows, 1) { addUp(top + row * source.bytesPerRow) { $0 &+ $1 } }
    }

    /// Changes each of ``sums`` by the pixel of its column.
    @inline(__always)
    private func addUp(
        _ pixels: UnsafeRawPointer,
        _ change: (SIMD8<UInt16>, SIMD8<UInt16>) -> SIMD8<UInt16>
    ) {
        let target = UnsafeMutableRawPointer(sums)
        let width = source.width
        var x = 0
        while x &+ 4 <= width {
            let four = pixels.loadUnaligned(fromByteOffset: x &* 4, as: SIMD16<UInt8>.self)
            let place = target + x &* 8
            let left = change(place.load(as: SIMD8.self), widened(four.lowHalf))
            let right = change(
                place.load(fromByteOffset: 16, as: SIMD8.self), widened(four.highHalf))
            place.storeBytes(of: left, as: SIMD8<UInt16>.self)
            place.storeBytes(of: right, toByteOffset: 16, as: SIMD8<UInt16>.self)
            x &+= 4
        }
        while x < width {
            let pixel = pixels.loadUnaligned(fromByteOffset: x &* 4, as: SIMD4<UInt8>.self)
            let both = widened(SIMD8(lowHalf: pixel, highHalf: .zero))
            sums[x] = change(SIMD8(lowHalf: sums[x], highHalf: .zero), both).lowHalf
            x &+= 1
        }
    }

    /// Adds up `columns` of ``sums`` for each block and divides by `pixels`, rounding to the nearest.
    private func average(blocks: Range<Int>, columns: Int, pixels: Int, to output: UnsafeMutableRawPointer) {
        let start = UnsafeRawPointer(sums + blocks.lowerBound * self.columns)
        let target = output + blocks.lowerBound * 4
        if let quick = QuickMean(of: pixels) {
            averageQuickly(blocks.count, columns: columns, quick, from: start, to: target)
            return
        }
        let reciprocal = SIMD4<UInt32>(repeating: UInt32(((1 << 24) + pixels / 2) / pixels))
        for block in 0..<blocks.count {
            var sum = SIMD4<UInt32>.zero
            for column in 0..<columns {
                let place = (block &* columns &+ column) &* 8
                let pixel = start.load(fromByteOffset: place, as: SIMD4<UInt16>.self)
                sum &+= SIMD4(truncatingIfNeeded: pixel)
            }
            let mean = (sum &* reciprocal &+ SIMD4(repeating: 1 << 23)) &>> SIMD4(repeating: 24)
            let pixel = SIMD4<UInt8>(truncatingIfNeeded: mean)
            target.storeBytes(of: pixel, toByteOffset: block &* 4, as: SIMD4<UInt8>.self)
        }
    }

    /// The same in sixteen bits, two columns and two blocks at a time.
    private func averageQuickly(
        _ count: Int,
        columns: Int,
        _ mean: QuickMean,
        from start: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer
    ) {
        let length = columns &* 8
        var block = 0
        while block < count {
            let next = min(block &+ 1, count &- 1)
            let left = sum(of: columns, start + block &* length)
            let right = sum(of: columns, start + next &* length)
            let sums =
                SIMD8(lowHalf: left.lowHalf, highHalf: right.lowHalf)
                &+ SIMD8(lowHalf: left.highHalf, highHalf: right.highHalf)
            let pixels = narrowed(mean(sums))
            if next > block {
                target.storeBytes(of: pixels, toByteOffset: block &* 4, as: SIMD8<UInt8>.self)
            } else {
                target.storeBytes(of: pixels.lowHalf, toByteOffset: block &* 4, as: SIMD4<UInt8>.self)
            }
            block &+= 2
        }
    }

    /// The sums of every other column, which are still to be added up.
    @inline(__always)
    private func sum(of columns: Int, _ start: UnsafeRawPointer) -> SIMD8<UInt16> {
        var sum = SIMD8<UInt16>.zero
        var place = 0
        while place < columns / 2 {
            sum &+= start.loadUnaligned(fromByteOffset: place &* 16, as: SIMD8<UInt16>.self)
            place &+= 1
        }
        if columns % 2 == 1 {
            let last = start.load(fromByteOffset: place &* 16, as: SIMD4<UInt16>.self)
            sum &+= SIMD8(lowHalf: last, highHalf: .zero)
        }
        return sum
    }
}

/// Divides sums of a few bytes by how many they are, rounding to the nearest, with one multiplication.
private struct QuickMean {
    private let half: SIMD8<UInt16>
    private let reciprocal: SIMD8<UInt16>

    /// Nil for those numbers for which the outcome would not be exact.
    init?(of count: Int) {
        let half = count / 2
        let reciprocal = ((1 << 16) + count - 1) / count
        let excess = reciprocal * count - (1 << 16)
        let most = 255 * count + half
        guard count > 1, most < 1 << 16, most * excess < 1 << 16 else { return nil }
        self.half = SIMD8(repeating: UInt16(half))
        self.reciprocal = SIMD8(repeating: UInt16(reciprocal))
    }

    @inline(__always)
    func callAsFunction(_ sums: SIMD8<UInt16>) -> SIMD8<UInt16> { upperHalves(sums &+ half, reciprocal) }
}
