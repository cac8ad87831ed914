/// One row between the two passes: as wide as the source, filtered vertically, not yet horizontally.
struct MiddleRow: ~Copyable {
    /// Rows to add up, each multiplied by a weight, and rows to subtract likewise.
    ///
    /// Apart because one instruction multiplies unsigned numbers, which pixels and the sizes of weights are.
    struct Terms {
        private(set) var rows: [UnsafeRawPointer] = []
        private(set) var weights: [SIMD8<UInt16>] = []

        /// How many are to be added; the others, which come after them, are to be subtracted.
        private(set) var addedCount = 0

        /// Multiplies and adds; all of these before any ``subtract(_:weight:)``.
        mutating func add(_ row: UnsafeRawPointer, weight: Int) {
            append(row, weight: weight)
            addedCount += 1
        }

        /// Multiplies and subtracts.
        mutating func subtract(_ row: UnsafeRawPointer, weight: Int) { append(row, weight: weight) }

        private mutating func append(_ row: UnsafeRawPointer, weight: Int) {
            rows.append(row)
            weights.append(SIMD8(repeating: UInt16(weight)))
        }

        /// Leaves no terms, but the memory for as many.
        mutating func removeAll() {
            rows.removeAll(keepingCapacity: true)
            weights.removeAll(keepingCapacity: true)
            addedCount = 0
        }
    }

    /// Bits after the point of a vertical weight.
    static let weightBits = 15

    /// Bits after the point of the row's channels, which have 128 subtracted, so that an `Int16` can hold
    /// nearly twice a byte's range.
    static let fractionBits = weightBits + 8 - 16

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

    /// Sets the row to the sum of `terms`, whose signed weights have to add up to 1.
    func fill(from terms: borrowing Terms) {
        let addedCount = terms.addedCount
        let subtractedCount = terms.rows.count - addedCount
        // What dropping the lower halves of products takes away on average, and the 128 that is subtracted.
        let start = Int16((addedCount - subtractedCount) / 2 - (128 << Self.fractionBits))
        terms.rows.withUnsafeBufferPointer { rows in
            terms.weights.withUnsafeBufferPointer { weights in
                guard width >= 8 else {
                    for x in 0..<width { fillOne(at: x, rows, weights, addedCount: addedCount, start: start) }
                    return
                }
                var x = 0
                while x < width {
                    x = min(x, width - 8)
                    fillEight(at: x, rows, weights, addedCount: addedCount, start: start)
                    x += 8
                }
            }
        }
    }

    @inline(__always)
    private func fillEight(
        at x: Int,
        _ rows: UnsafeBufferPointer<UnsafeRawPointer>,
        _ weights: UnsafeBufferPointer<SIMD8<UInt16>>,
        addedCount: Int,
        start: Int16
    ) {
        var sum0 = SIMD8(repeating: start)
        var sum1 = sum0
        var sum2 = sum0
        var sum3 = sum0
        for index in 0..<addedCount {
            let pixels = rows[index] + x * 4
            let weight = weights[index]
            sum0 &+= upperHalfOfProduct(Self.times256(pixels), weight)
            sum1 &+= upperHalfOfProduct(Self.times256(pixels + 8), weight)
            sum2 &+= upperHalfOfProduct(Self.times256(pixels + 16), weight)
            sum3 &+= upperHalfOfProduct(Self.times256(pixels + 24), weight)
        }
        for index in addedCount..<rows.count {
            let pixels = rows[index] + x * 4
            let weight = weights[index]
            sum0 &-= upperHalfOfProduct(Self.times256(pixels), weight)
            sum1 &-= upperHalfOfProduct(Self.times256(pixels + 8), weight)
            sum2 &-= upperHalfOfProduct(Self.times256(pixels + 16), weight)
            sum3 &-= upperHalfOfProduct(Self.times256(pixels + 24), weight)
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
        _ rows: UnsafeBufferPointer<UnsafeRawPointer>,
        _ weights: UnsafeBufferPointer<SIMD8<UInt16>>,
        addedCount: Int,
        start: Int16
    ) {
        var sum = SIMD4(repeating: start)
        for index in 0..<rows.count {
            let pixel = rows[index].loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
            let product = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* UInt32(weights[index][0])
            let part = SIMD4<Int16>(truncatingIfNeeded: product &>> SIMD4(repeating: 8))
            if index < addedCount { sum &+= part } else { sum &-= part }
        }
        channels.storeBytes(of: sum, toByteOffset: x * 8, as: SIMD4<Int16>.self)
    }

    /// The channels of two pixels, each times 256.
    @inline(__always)
    private static func times256(_ pixels: UnsafeRawPointer) -> SIMD8<UInt16> {
        var bytes = SIMD16<UInt8>.zero
        bytes.oddHalf = pixels.loadUnaligned(as: SIMD8<UInt8>.self)
        // Safe because both sides are plain bits of equal size. With a shift instead, the compiler would no
        // longer see that the multiplication is one instruction.
        return unsafeBitCast(bytes, to: SIMD8<UInt16>.self)
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
                    let left = sum(columns[x], weights: weights)
                    let right = sum(columns[next], weights: weights)
                    let sums =
                        SIMD8(lowHalf: left.lowHalf, highHalf: right.lowHalf)
                        &+ SIMD8(lowHalf: left.highHalf, highHalf: right.highHalf)
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

    /// The sums of every other pixel, which are still to be added up.
    @inline(__always)
    private func sum(_ column: FilterPlan.Column, weights: UnsafePointer<SIMD8<Int16>>) -> SIMD8<Int16> {
        let source = channels + column.start &* 8
        let weight = weights + column.place
        var sum = SIMD8(lowHalf: SIMD4(repeating: column.rounding), highHalf: .zero)
        for index in 0..<column.pairs {
            let two = source.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            sum &+= upperHalfOfProduct(two, weight[index])
        }
        return sum
    }

    /// Two pixels with colours in 0…alpha and alpha in 0…255.
    @inline(__always)
    private static func clamped(_ pixels: SIMD8<Int16>) -> SIMD8<UInt8> {
        let alpha = SIMD8(
            lowHalf: SIMD4(repeating: pixels[3]),
            highHalf: SIMD4(repeating: pixels[7])
        )
        let result = least(pixels, least(alpha, SIMD8(repeating: 255)))
        return SIMD8(truncatingIfNeeded: result & ~(result &>> 15))
    }

    /// The lesser of each two numbers, whose differences are no larger than an `Int16`.
    ///
    /// The standard library's would go lane by lane.
    @inline(__always)
    private static func least(_ one: SIMD8<Int16>, _ other: SIMD8<Int16>) -> SIMD8<Int16> {
        let difference = one &- other
        return other &+ (difference & (difference &>> 15))
    }
}
