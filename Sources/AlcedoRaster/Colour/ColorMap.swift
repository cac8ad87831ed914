/// A function of one straight colour.
protocol ColorMap: ~Copyable {
    /// Takes channels from 0 to 255; returns blue, green and red from the lowest byte up, and 0 in the highest.
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32
}

/// A lookup table without bounds checks, for inner loops.
struct Table<Element: BitwiseCopyable>: ~Copyable {
    private let elements: UnsafeMutablePointer<Element>

    init(count: Int, _ element: (Int) -> Element) {
        elements = .allocate(capacity: count)
        for index in 0..<count { (elements + index).initialize(to: element(index)) }
    }

    deinit { elements.deallocate() }

    /// The entry at `index`, which is not checked.
    @inline(__always)
    subscript(index: Int) -> Element { elements[index] }
}

/// Maps each channel separately.
struct ChannelTable: ColorMap, ~Copyable {
    private let table: Table<UInt8>

    /// Tabulates a curve of linear light.
    init(_ curve: (Double) -> Double) {
        table = Table(count: 256) { TransferFunction.level(of: curve(TransferFunction.lights[$0])) }
    }

    @inline(__always)
    func callAsFunction(_ blue: Int, _ green: Int, _ red: Int) -> UInt32 {
        UInt32(table[blue]) | UInt32(table[green]) << 8 | UInt32(table[red]) << 16
    }
}

/// Maps a colour to grey: adds up its luma in fixed point and looks up the result.
struct GreyTable: ColorMap, ~Copyable {
    private let contributions: Table<SIMD4<UInt32>>
    private let greys: Table<UInt8>

    private static let bits: UInt32 = 14

    init(_ controls: ColorControls) {
        // 16 extra bits for the sum; 0x8000 rounds them off.
        let one = Double(1 << (Self.bits + 16))
        contributions = Table(count: 256) { level in
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
        let luma = contributions[blue][0] &+ contributions[green][1] &+ contributions[red][2] &+ 0x8000
        return UInt32(greys[Int(luma >> 16)]) &* 0x01_0101
    }
}

/// Multiplies a colour by a matrix.
struct MixTable: ColorMap, ~Copyable {
    /// The contribution of each input channel to all output channels, in steps.
    private let blues: Table<FloatLanes>
    private let greens: Table<FloatLanes>
    private let reds: Table<FloatLanes>
    private let levels: Table<UInt8>

    private static let steps = 1 << 14

    /// Tabulates a matrix of linear light, or of sRGB-encoded values if `encoded`.
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
        let maximum = FloatLanes(repeating: Float(Self.steps))
        let steps = roundedIntegers(laneMinimum(laneMaximum(.zero, light), maximum))
        return UInt32(levels[Int(steps[0])]) | UInt32(levels[Int(steps[1])]) << 8
            | UInt32(levels[Int(steps[2])]) << 16
    }
}

/// Luma of linear light.
enum Luma {
    /// The weights of blue, green and red in Recommendation 709.
    static let weights = SIMD4(0.0722, 0.7152, 0.2126, 0)
}
