/// sRGB's transfer function for samples of 16 bits, in tables with interpolation.
struct DeepLight: Sendable {
    static let standard = DeepLight()

    /// Light of encoded values from 0 to 1, and encoded values of the square roots of light, in which the curve is
    /// smooth.
    private let lights: [Float]
    private let levels: [Float]

    private static let steps = 1 << 12

    private init() {
        func table(_ value: (Double) -> Double) -> [Float] {
            (0...Self.steps + 1).map { Float(value(min(1, Double($0) / Double(Self.steps)))) }
        }
        lights = table(TransferFunction.light(ofPart:))
        levels = table { TransferFunction.part(ofLight: $0 * $0) }
    }

    /// The light of an encoded value, both from 0 to 1.
    @inline(__always)
    func light(_ level: Float) -> Float { Self.interpolated(lights, level) }

    @inline(__always)
    func level(_ light: Float) -> Float { Self.interpolated(levels, light.squareRoot()) }

    /// From 0 to 1.
    @inline(__always)
    private static func interpolated(_ table: [Float], _ value: Float) -> Float {
        table.withUnsafeBufferPointer { table in
            let place = value * Float(steps)
            let index = Int(place)
            return table[index] + (table[index + 1] - table[index]) * (place - Float(index))
        }
    }
}

extension DeepLight {
    /// The premultiplied light of a premultiplied pixel.
    @inline(__always)
    func light(of pixel: FloatLanes) -> FloatLanes {
        let alpha = pixel.w
        guard alpha > 0 else { return .zero }
        let straight = laneMinimum(pixel / alpha, FloatLanes(repeating: 1))
        return FloatLanes(light(straight.x), light(straight.y), light(straight.z), 1) * alpha
    }

    /// The premultiplied pixel of premultiplied light.
    @inline(__always)
    func pixel(of light: FloatLanes) -> FloatLanes {
        let alpha = light.w
        guard alpha > 0 else { return .zero }
        let straight = laneMinimum(laneMaximum(light / alpha, .zero), FloatLanes(repeating: 1))
        return FloatLanes(level(straight.x), level(straight.y), level(straight.z), 1) * alpha
    }
}

/// Applies a curve to the light of straight colours of deep pixels, for a space with sRGB's curve.
struct DeepTone: DeepPixelMap {
    /// The encoded results of 65,536 encoded values.
    private let levels: [Float]

    /// `curve` maps light to light, both from 0 to 1.
    init(_ curve: (Double) -> Double) {
        levels = (0...65535).map { level in
            let light = TransferFunction.light(ofPart: Double(level) / 65535)
            let result = curve(light)
            return Float(TransferFunction.part(ofLight: result.isNaN ? light : max(0, min(result, 1))))
        }
    }

    @inline(__always)
    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes {
        let alpha = pixel.w
        guard alpha > 0 else { return .zero }
        let straight = laneMinimum(pixel / alpha, FloatLanes(repeating: 1)) * 65535 + 0.5
        return levels.withUnsafeBufferPointer { levels in
            FloatLanes(levels[Int(straight.x)], levels[Int(straight.y)], levels[Int(straight.z)], 1) * alpha
        }
    }
}

/// Multiplies the straight colours of deep pixels by a matrix.
struct DeepMatrix: DeepPixelMap {
    private let columns: (FloatLanes, FloatLanes, FloatLanes)
    private let offset: FloatLanes
    /// Nil to multiply encoded values.
    private let light: DeepLight?

    init(_ matrix: ColorMatrix, in light: DeepLight?) {
        func column(_ index: Int) -> FloatLanes {
            FloatLanes(SIMD4(matrix.red[index], matrix.green[index], matrix.blue[index], 0))
        }
        columns = (column(0), column(1), column(2))
        offset = column(3)
        self.light = light
    }

    @inline(__always)
    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes {
        let alpha = pixel.w
        guard alpha > 0 else { return .zero }
        let straight = laneMinimum(pixel / alpha, FloatLanes(repeating: 1))
        func input(_ value: Float) -> Float { light.map { $0.light(value) } ?? value }
        var result = offset + columns.0 * input(straight.x)
        result += columns.1 * input(straight.y) + columns.2 * input(straight.z)
        result = laneMinimum(laneMaximum(result, .zero), FloatLanes(repeating: 1))
        if let light {
            result = FloatLanes(light.level(result.x), light.level(result.y), light.level(result.z), 0)
        }
        result *= alpha
        result.w = alpha
        return result
    }
}
