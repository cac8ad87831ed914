/// A function of one opaque colour.
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

    /// A curve of each channel's light.
    init(_ curve: (Double) -> Double) {
        table = Table(count: 256) { TransferFunction.level(of: curve(TransferFunction.lights[$0])) }
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

/// Every channel made of all of them.
struct MixTable: ColorMap, ~Copyable {
    /// The contribution of each channel to all channels, for each level.
    private let blues: Table<FloatLanes>
    private let greens: Table<FloatLanes>
    private let reds: Table<FloatLanes>
    private let levels: Table<UInt8>

    private static let steps = 1 << 14

    /// The matrix applies to light, or to encoded values.
    init(_ matrix: ColorMatrix, encoded: Bool = false) {
        func table(_ factors: SIMD4<Double>, bias: SIMD4<Double> = .zero) -> Table<FloatLanes> {
            Table(count: 256) { level in
                let value = encoded ? Double(level) / 255 : TransferFunction.lights[level]
                return FloatLanes((factors * value + bias) * Double(Self.steps))
            }
        }
        let (red, green, blue) = (matrix.red, matrix.green, matrix.blue)
        blues = table(SIMD4(blue.z, green.z, red.z, 0), bias: SIMD4(blue.w, green.w, red.w, 0))
        greens = table(SIMD4(blue.y, green.y, red.y, 0))
        reds = table(SIMD4(blue.x, green.x, red.x, 0))
        levels = Table(count: Self.steps + 1) {
            let value = Double($0) / Double(Self.steps)
            return encoded ? UInt8((value * 255).rounded()) : TransferFunction.level(of: value)
        }
    }

    @inline(__always)
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
        let light = blues[blue] + greens[green] + reds[red]
        let most = FloatLanes(repeating: Float(Self.steps))
        let steps = wholes(smaller(larger(.zero, light), most))
        return UInt32(levels[Int(steps[0])]) | UInt32(levels[Int(steps[1])]) << 8
            | UInt32(levels[Int(steps[2])]) << 16
    }
}

/// The contribution of the channels to luminance.
enum Luma {
    /// Of blue, green and red; the weights of Recommendation 709.
    static let weights = SIMD4(0.0722, 0.7152, 0.2126, 0)
}
