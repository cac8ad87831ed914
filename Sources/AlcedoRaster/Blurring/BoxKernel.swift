/// The width of a box filter, and the fixed-point factors that divide its sums.
///
/// A sum plus half of ``width`` is shifted right by ``firstShift`` to fit 16 bits, then multiplied by two factors over
/// 65,536; the second factor is a power of two.
struct BoxKernel {
    /// Taps on each side of the centre.
    let reach: Int

    /// The longest reach whose sums fit 32 bits.
    private static let maximumReach = 1 << 22

    let half: UInt32
    let firstShift: UInt32
    let factor: SIMD8<UInt16>
    let lastFactor: SIMD8<UInt16>

    /// Taps in all; odd.
    var width: Int { 2 * reach + 1 }

    /// Whether the sums fit 16 bits.
    var isNarrow: Bool { width <= 255 }

    /// The kernel for a standard deviation of `radius`.
    init(radius: Double) {
        let width = (max(2, radius) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down)
        self.init(reach: Int(min(width, 1e9)) / 2)
    }

    /// The kernel with `wanted` taps on each side.
    init(reach wanted: Int) {
        reach = min(Self.maximumReach, wanted)
        let count = 2 * reach + 1
        half = UInt32(count / 2)
        var firstShift = 0
        while (count * 255 + count / 2) >> firstShift > 0xFFFF { firstShift += 1 }
        let divisor = Double(count) / Double(1 << firstShift)
        var lastShift = 0
        while Double(2 << lastShift) <= divisor { lastShift += 1 }
        let quotient = (Double(65_536 << lastShift) / divisor).rounded(.up)
        factor = SIMD8(repeating: UInt16(min(65_535, quotient)))
        lastFactor = SIMD8(repeating: 1 << UInt16(16 - lastShift))
        self.firstShift = UInt32(firstShift)
    }
}

/// Eight running sums of the channels that a box covers.
protocol BoxSum {
    init()

    mutating func add(_ values: SIMD8<UInt16>)
    mutating func add(_ values: SIMD8<UInt16>, times: Int)
    mutating func replace(_ outgoing: SIMD8<UInt16>, by incoming: SIMD8<UInt16>)

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
    mutating func add(_ values: SIMD8<UInt16>, times: Int) {
        sums &+= values &* UInt16(truncatingIfNeeded: times)
    }

    @inline(__always)
    mutating func replace(_ outgoing: SIMD8<UInt16>, by incoming: SIMD8<UInt16>) {
        sums &+= incoming &- outgoing
    }

    @inline(__always)
    func average(_ kernel: BoxKernel) -> SIMD8<UInt16> {
        let rounded = sums &+ SIMD8(repeating: UInt16(truncatingIfNeeded: kernel.half))
        return upperHalves(upperHalves(rounded, kernel.factor), kernel.lastFactor)
    }
}

/// Sums of up to 16 million bytes.
struct WideBoxSum: BoxSum {
    private var sums = SIMD8<UInt32>.zero

    @inline(__always)
    init() {}

    @inline(__always)
    mutating func add(_ values: SIMD8<UInt16>) { sums &+= widened(values) }

    @inline(__always)
    mutating func add(_ values: SIMD8<UInt16>, times: Int) {
        sums &+= widened(values) &* UInt32(truncatingIfNeeded: times)
    }

    @inline(__always)
    mutating func replace(_ outgoing: SIMD8<UInt16>, by incoming: SIMD8<UInt16>) {
        sums &+= signExtended(incoming &- outgoing)
    }

    @inline(__always)
    func average(_ kernel: BoxKernel) -> SIMD8<UInt16> {
        let rounded = (sums &+ SIMD8(repeating: kernel.half)) &>> SIMD8(repeating: kernel.firstShift)
        return upperHalves(upperHalves(narrowed(rounded), kernel.factor), kernel.lastFactor)
    }
}
