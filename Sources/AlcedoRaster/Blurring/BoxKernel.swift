/// How many neighbours a box filter averages, and how their sums are divided.
///
/// A sum plus half of ``width`` is shifted right by ``firstShift``, so that it fits sixteen bits, multiplied by ``factor``
/// over 65,536 and shifted right by ``lastShift``.
struct BoxKernel {
    /// Neighbours before the middle, and as many after it.
    let reach: Int

    let half: UInt32
    let firstShift: UInt32
    let factor: UInt16
    let lastShift: UInt16

    /// Neighbours in all; odd.
    var width: Int { 2 * reach + 1 }

    /// Whether sixteen bits hold the sums.
    var isNarrow: Bool { width <= 255 }

    /// The kernel for a standard deviation of `radius`; the longest that is any use reaches `reach` pixels.
    init(radius: Double, reach limit: Int) {
        let width = (max(2, radius) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down)
        reach = min(limit, Int(min(width, 1e9)) / 2)
        let count = 2 * reach + 1
        half = UInt32(count / 2)
        var firstShift = 0
        while count * 255 + count / 2 >> firstShift > 0xFFFF { firstShift += 1 }
        let divisor = Double(count) / Double(1 << firstShift)
        var lastShift = 0
        while Double(2 << lastShift) <= divisor { lastShift += 1 }
        factor = UInt16(min(65_535, (Double(65_536 << lastShift) / divisor).rounded(.up)))
        self.firstShift = UInt32(firstShift)
        self.lastShift = UInt16(lastShift)
    }
}

/// Eight sums of the pixels that a box covers at the moment.
protocol BoxSum {
    /// Zero.
    init()

    mutating func add(_ values: SIMD8<UInt16>)
    mutating func subtract(_ values: SIMD8<UInt16>)

    /// The sums divided by the kernel's width, and rounded.
    func average(_ kernel: BoxKernel) -> SIMD8<UInt16>
}

/// Sums of up to 255 bytes.
struct NarrowBoxSum: BoxSum {
    private var sums = SIMD8<UInt16>.zero

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func add(_ values: SIMD8<UInt16>) { sums &+= values }

    @inline(__always)
    mutating func subtract(_ values: SIMD8<UInt16>) { sums &-= values }

    @inline(__always)
    func average(_ kernel: BoxKernel) -> SIMD8<UInt16> {
        let rounded = sums &+ SIMD8(repeating: UInt16(truncatingIfNeeded: kernel.half))
        let product = upperHalfOfProduct(rounded, SIMD8(repeating: kernel.factor))
        return SIMD8(truncatingIfNeeded: product) &>> SIMD8(repeating: kernel.lastShift)
    }
}

/// Sums of up to 16 million bytes.
struct WideBoxSum: BoxSum {
    private var sums = SIMD8<UInt32>.zero

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func add(_ values: SIMD8<UInt16>) { sums &+= SIMD8<UInt32>(truncatingIfNeeded: values) }

    @inline(__always)
    mutating func subtract(_ values: SIMD8<UInt16>) { sums &-= SIMD8<UInt32>(truncatingIfNeeded: values) }

    @inline(__always)
    func average(_ kernel: BoxKernel) -> SIMD8<UInt16> {
        let rounded = (sums &+ SIMD8(repeating: kernel.half)) &>> SIMD8(repeating: kernel.firstShift)
        let product = upperHalfOfProduct(
            SIMD8(truncatingIfNeeded: rounded), SIMD8<UInt16>(repeating: kernel.factor))
        return SIMD8(truncatingIfNeeded: product) &>> SIMD8(repeating: kernel.lastShift)
    }
}
