import Glibc

/// sRGB's transfer function between stored levels and linear light.
enum TransferFunction {
    /// The linear light, from 0 to 1, of each level from 0 to 255.
    static let lights: [Double] = (0...255).map { light(of: Double($0)) }

    /// Resolution of ``levels``: steps of linear light from 0 to 1.
    static let steps = 1 << 16

    /// The nearest level for each of `steps + 1` equally spaced values of linear light.
    static let levels: [UInt8] = {
        var levels: [UInt8] = []
        levels.reserveCapacity(steps + 1)
        for level in 0..<255 {
            let end = (light(of: Double(level) + 0.5) * Double(steps)).rounded(.up)
            levels.append(contentsOf: repeatElement(UInt8(level), count: Int(end) - levels.count))
        }
        levels.append(contentsOf: repeatElement(255, count: steps + 1 - levels.count))
        return levels
    }()

    /// The level, from 0 to 255, nearest to `light`, which is clamped to 0…1.
    static func level(of light: Double) -> UInt8 {
        levels[Int((max(0, min(light, 1)) * Double(steps)).rounded())]
    }

    /// The encoded value of linear light, both from 0 to 1.
    static func part(ofLight light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    private static func light(of level: Double) -> Double { light(ofPart: level / 255) }

    /// The linear light of an encoded value, both from 0 to 1.
    static func light(ofPart value: Double) -> Double {
        let value = max(0, min(value, 1))
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}
