/// What becomes of one opaque colour.
protocol ColorMap: ~Copyable {
    /// Takes channels from 0 to 255; gives blue, green and red from the lowest byte up, and 0 in the highest.
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32
}

/// Memory for a table that is read in inner loops, where an array's checks would show.
struct Table<Element: BitwiseCopyable>: ~Copyable {
    private let elements: UnsafeMutablePointer<Element>

    /// Computes all entries.
    init(count: Int, _ element: (Int) -> Element) {
        elements = .allocate(capacity: count)
        for index in 0..<count { (elements + index).initialize(to: element(index)) }
    }

    deinit { elements.deallocate() }

    /// An entry that must be there.
    @inline(__always)
    subscript(index: Int) -> Element { elements[index] }
}

/// Each channel on its own.
struct ChannelTable: ColorMap, ~Copyable {
    private let table: Table<UInt8>

    init(_ controls: ColorControls) {
        table = Table(count: 256) { level in
            TransferFunction.level(of: TransferFunction.lights[level] * controls.gain + controls.offset)
        }
    }

    @inline(__always)
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
        UInt32(table[blue]) | UInt32(table[green]) << 8 | UInt32(table[red]) << 16
    }
}

/// Luma alone: it is looked up in 16 bits, after which everything else is one table.
struct GreyTable: ColorMap, ~Copyable {
    private let parts: Table<SIMD4<UInt32>>
    private let greys: Table<UInt8>

    private static let bits: UInt32 = 14

    init(_ controls: ColorControls) {
        // Sixteen more bits while adding up, and half of one of those that remain for rounding.
        let one = Double(1 << (Self.bits + 16))
        parts = Table(count: 256) { level in
            let light = Luma.weights * TransferFunction.lights[level] * one
            return SIMD4<UInt32>(light, rounding: .toNearestOrAwayFromZero)
        }
        greys = Table(count: (1 << Self.bits) + 1) { index in
            let luma = Double(index) / Double(1 << Self.bits)
            return TransferFunction.level(of: luma * controls.gain + controls.offset)
        }
    }

    @inline(__always)
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
        let luma = parts[blue][0] &+ parts[green][1] &+ parts[red][2] &+ 0x8000
        return UInt32(greys[Int(luma >> 16)]) &* 0x01_0101
    }
}

/// Every channel made of itself and of luma.
struct MixTable: ColorMap, ~Copyable {
    /// What the three channels contribute to all, and what a channel adds to itself.
    private let blues: Table<Int>
    private let greens: Table<Int>
    private let reds: Table<Int>
    private let own: Table<Int>
    private let levels: Table<UInt8>

    private static let steps = 1 << 14

    /// Bits after the point while adding up.
    private static let fractionBits = 8

    init(_ controls: ColorControls) {
        let one = Double(Self.steps << Self.fractionBits)
        func table(_ factor: Double, offset: Double = 0) -> Table<Int> {
            Table(count: 256) { Int(((factor * TransferFunction.lights[$0] + offset) * one).rounded()) }
        }
        let others = controls.gain * (1 - controls.saturation)
        blues = table(others * Luma.weights[0])
        greens = table(others * Luma.weights[1])
        reds = table(others * Luma.weights[2])
        own = table(controls.gain * controls.saturation, offset: controls.offset + 0.5 / Double(Self.steps))
        levels = Table(count: Self.steps + 1) {
            TransferFunction.level(of: Double($0) / Double(Self.steps))
        }
    }

    @inline(__always)
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
        let luma = blues[blue] &+ greens[green] &+ reds[red]
        return level(luma &+ own[blue]) | level(luma &+ own[green]) << 8 | level(luma &+ own[red]) << 16
    }

    @inline(__always)
    private func level(_ light: Int) -> UInt32 {
        UInt32(levels[max(0, min(light >> Self.fractionBits, Self.steps))])
    }
}

/// What the channels contribute to the light that is seen.
private enum Luma {
    /// Of blue, green and red; the weights of Recommendation 709.
    static let weights = SIMD4(0.0722, 0.7152, 0.2126, 0)
}
