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

    /// A row of zeros, behind which as many more can be read as `pairs` of pixels have.
    init(width: Int, pairs: Int) {
        self.width = width
        channels = .allocate(byteCount: (width + 2 * pairs) * 8, alignment: 16)
        channels.initializeMemory(as: SIMD4<Int16>.self, repeating: .zero, count: width + 2 * pairs)
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
            let left = pixels.loadUnaligned(as: SIMD16<UInt8>.self)
            let right = pixels.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
            sum0 &+= upperHalfOfProduct(Self.times256(left.lowHalf), weight)
            sum1 &+= upperHalfOfProduct(Self.times256(left.highHalf), weight)
            sum2 &+= upperHalfOfProduct(Self.times256(right.lowHalf), weight)
            sum3 &+= upperHalfOfProduct(Self.times256(right.highHalf), weight)
        }
        for index in addedCount..<rows.count {
            let pixels = rows[index] + x * 4
            let weight = weights[index]
            let left = pixels.loadUnaligned(as: SIMD16<UInt8>.self)
            let right = pixels.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
            sum0 &-= upperHalfOfProduct(Self.times256(left.lowHalf), weight)
            sum1 &-= upperHalfOfProduct(Self.times256(left.highHalf), weight)
            sum2 &-= upperHalfOfProduct(Self.times256(right.lowHalf), weight)
            sum3 &-= upperHalfOfProduct(Self.times256(right.highHalf), weight)
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
    private static func times256(_ pixels: SIMD8<UInt8>) -> SIMD8<UInt16> {
        var bytes = SIMD16<UInt8>.zero
        bytes.oddHalf = pixels
        // Safe because both sides are plain bits of equal size. With a shift instead, the compiler would no
        // longer see that the multiplication is one instruction.
        return unsafeBitCast(bytes, to: SIMD8<UInt16>.self)
    }

    // MARK: - Horizontal pass

    /// Writes one row of the output, keeping every colour within 0…alpha.
    func write(to output: UnsafeMutableRawPointer, plan: borrowing FilterPlan) {
        // A shift by a number that the compiler knows is one instruction, any other a dozen.
        switch plan.fractionBits {
        case 7: write(to: output, plan: plan, shift: 7)
        case 6: write(to: output, plan: plan, shift: 6)
        case 5: write(to: output, plan: plan, shift: 5)
        default: write(to: output, plan: plan, shift: Int16(plan.fractionBits))
        }
    }

    @inline(__always)
    private func write(to output: UnsafeMutableRawPointer, plan: borrowing FilterPlan, shift: Int16) {
        let shift = SIMD8<Int16>(repeating: shift)
        plan.columnWeights.withUnsafeBufferPointer { weights in
            plan.columns.withUnsafeBufferPointer { columns in
                guard let weights = weights.baseAddress else { return }
                var x = 0
                while x < columns.count {
                    let next = min(x &+ 1, columns.count &- 1)
                    let sums = sums(columns[x], columns[next], pairs: plan.pairs, weights: weights)
                    let pixels = Self.clamped((sums &>> shift) &+ 128)
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

    /// The weighted sums for two columns of the output.
    @inline(__always)
    private func sums(
        _ one: FilterPlan.Column,
        _ other: FilterPlan.Column,
        pairs: Int,
        weights: UnsafePointer<SIMD8<Int16>>
    ) -> SIMD8<Int16> {
        let (left, right) = (channels + one.start &* 8, channels + other.start &* 8)
        let (leftWeights, rightWeights) = (weights + one.place, weights + other.place)
        // Of every other pixel: the halves are still to be added up.
        var leftSum = SIMD8(lowHalf: SIMD4(repeating: one.rounding), highHalf: .zero)
        var rightSum = SIMD8(lowHalf: SIMD4(repeating: other.rounding), highHalf: .zero)
        var index = 0
        while index < pairs {
            let leftPair = left.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            let rightPair = right.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            leftSum &+= upperHalfOfProduct(leftPair, leftWeights[index])
            rightSum &+= upperHalfOfProduct(rightPair, rightWeights[index])
            index &+= 1
        }
        return SIMD8(lowHalf: leftSum.lowHalf, highHalf: rightSum.lowHalf)
            &+ SIMD8(lowHalf: leftSum.highHalf, highHalf: rightSum.highHalf)
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
