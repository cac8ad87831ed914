/// One row between the two passes: as wide as the source, filtered vertically, not yet horizontally.
struct MiddleRow: ~Copyable {
    private let width: Int
    private let channels: UnsafeMutableRawPointer

    init(width: Int) {
        self.width = width
        // The horizontal pass reads pairs of pixels, and so may read one too many.
        channels = .allocate(byteCount: (width + 1) * 8, alignment: 16)
        channels.initializeMemory(as: SIMD4<Int16>.self, repeating: .zero, count: width + 1)
    }

    deinit { channels.deallocate() }

    // MARK: - Vertical pass

    /// Sets the row to the sum of `rows`, each multiplied by its one of `weights`.
    func fill(from rows: [UnsafeRawPointer], weights: [SIMD8<Int16>]) {
        rows.withUnsafeBufferPointer { rows in
            weights.withUnsafeBufferPointer { weights in
                guard width >= 8 else {
                    for x in 0..<width { fillOne(at: x, from: rows, weights: weights) }
                    return
                }
                var x = 0
                while x < width {
                    x = min(x, width - 8)
                    fillEight(at: x, from: rows, weights: weights)
                    x += 8
                }
            }
        }
    }

    @inline(__always)
    private func fillEight(
        at x: Int,
        from rows: UnsafeBufferPointer<UnsafeRawPointer>,
        weights: UnsafeBufferPointer<SIMD8<Int16>>
    ) {
        var sum0 = Self.correction(weights.count)
        var sum1 = sum0
        var sum2 = sum0
        var sum3 = sum0
        for index in 0..<weights.count {
            let pixels = rows[index] + x * 4
            let weight = weights[index]
            sum0 &+= upperHalfOfProduct(Self.centred(pixels), weight)
            sum1 &+= upperHalfOfProduct(Self.centred(pixels + 8), weight)
            sum2 &+= upperHalfOfProduct(Self.centred(pixels + 16), weight)
            sum3 &+= upperHalfOfProduct(Self.centred(pixels + 24), weight)
        }
        let target = channels + x * 8
        target.storeBytes(of: sum0, as: SIMD8<Int16>.self)
        target.storeBytes(of: sum1, toByteOffset: 16, as: SIMD8<Int16>.self)
        target.storeBytes(of: sum2, toByteOffset: 32, as: SIMD8<Int16>.self)
        target.storeBytes(of: sum3, toByteOffset: 48, as: SIMD8<Int16>.self)
    }

    @inline(__always)
    private func fillOne(
        at x: Int,
        from rows: UnsafeBufferPointer<UnsafeRawPointer>,
        weights: UnsafeBufferPointer<SIMD8<Int16>>
    ) {
        var sum = Self.correction(weights.count).lowHalf
        for index in 0..<weights.count {
            let pixel = rows[index].loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
            let centred = (SIMD4<Int32>(truncatingIfNeeded: pixel) &- 128) &* 256
            let product = centred &* Int32(weights[index][0])
            sum &+= SIMD4(truncatingIfNeeded: product &>> SIMD4(repeating: 16))
        }
        channels.storeBytes(of: sum, toByteOffset: x * 8, as: SIMD4<Int16>.self)
    }

    /// Two pixels with 128 subtracted from each channel, times 256.
    @inline(__always)
    private static func centred(_ pixels: UnsafeRawPointer) -> SIMD8<Int16> {
        var bytes = SIMD16<UInt8>.zero
        bytes.oddHalf = pixels.loadUnaligned(as: SIMD8<UInt8>.self) ^ SIMD8(repeating: 0x80)
        // Safe because both sides are plain bits of equal size. With a shift instead, the compiler would no
        // longer see that the multiplication is one instruction.
        return unsafeBitCast(bytes, to: SIMD8<Int16>.self)
    }

    /// What dropping the lower halves of `count` products takes away on average.
    @inline(__always)
    private static func correction(_ count: Int) -> SIMD8<Int16> {
        SIMD8(repeating: Int16(truncatingIfNeeded: count / 2))
    }

    // MARK: - Horizontal pass

    /// Writes one row of the output, keeping every colour within 0…alpha.
    func write(to output: UnsafeMutableRawPointer, plan: borrowing FilterPlan) {
        // Taking the upper half of a product with this shifts right, and without a branch for every lane.
        let shift = SIMD8<Int16>(repeating: 1 << Int16(16 - plan.fractionBits))
        plan.columnWeights.withUnsafeBufferPointer { weights in
            plan.columns.withUnsafeBufferPointer { columns in
                guard let weights = weights.baseAddress else { return }
                var x = 0
                while x < columns.count {
                    let next = min(x &+ 1, columns.count &- 1)
                    let sums = SIMD8(
                        lowHalf: sum(columns[x], weights: weights),
                        highHalf: sum(columns[next], weights: weights)
                    )
                    let pixels = Self.clamped(upperHalfOfProduct(sums, shift) &+ 128)
                    if next > x {
                        output.storeBytes(of: pixels, toByteOffset: x &* 4, as: SIMD8<UInt8>.self)
                    } else {
                        output.storeBytes(of: pixels.lowHalf, toByteOffset: x &* 4, as: SIMD4<UInt8>.self)
                    }
                    x &+= 2
                }
            }
        }
    }

    @inline(__always)
    private func sum(_ column: FilterPlan.Column, weights: UnsafePointer<SIMD8<Int16>>) -> SIMD4<Int16> {
        let source = channels + Int(column.start) &* 8
        let weight = weights + Int(column.place)
        var sum = SIMD8<Int16>.zero
        for index in 0..<Int(column.pairs) {
            let two = source.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            sum &+= upperHalfOfProduct(two, weight[index])
        }
        return sum.lowHalf &+ sum.highHalf &+ SIMD4(repeating: column.rounding)
    }

    /// Two pixels with colours in 0…alpha and alpha in 0…255.
    @inline(__always)
    private static func clamped(_ pixels: SIMD8<Int16>) -> SIMD8<UInt8> {
        let alpha = SIMD8(
            lowHalf: SIMD4(repeating: pixels[3]),
            highHalf: SIMD4(repeating: pixels[7])
        )
        let most = pointwiseMin(alpha, SIMD8(repeating: 255))
        return SIMD8(truncatingIfNeeded: pointwiseMax(pointwiseMin(pixels, most), .zero))
    }
}
