import AlcedoPixels
import Foundation

/// BlurHash: a text of 6 to 166 characters with up to 9 × 9 cosine coefficients of an image in linear light.
///
/// Format and formulas: github.com/woltapp/blurhash, Algorithm.md.
struct BlurHash {
    let columns: Int
    let rows: Int

    /// Red, green and blue in linear light, row by row.
    let coefficients: [SIMD3<Double>]

    /// The characters of 9 × 9 coefficients.
    private static let longest = 4 + 2 * 81

    private static let digits: [Character: Int] = Dictionary(
        uniqueKeysWithValues: zip(
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~", 0...))

    /// Reads a hash; `punch` multiplies the contrast.
    init(_ text: String, punch: Double = 1) throws(ImageHashError) {
        guard punch.magnitude <= ImageHashError.largestPunch else { throw .invalidPunch(punch) }
        // The digits are ASCII.
        guard text.utf8.count <= Self.longest else {
            throw .invalidLength(text.utf8.count, expected: Self.longest)
        }
        var values: [Int] = []
        for character in text {
            guard let value = Self.digits[character] else { throw .invalidCharacter(character) }
            values.append(value)
        }
        guard values.count >= 6 else { throw .invalidLength(values.count, expected: 6) }
        columns = values[0] % 9 + 1
        rows = values[0] / 9 + 1
        let expected = 4 + 2 * columns * rows
        guard values.count == expected else { throw .invalidLength(values.count, expected: expected) }
        let mean = values[2..<6].reduce(0) { $0 * 83 + $1 }
        guard mean < 1 << 24 else { throw .invalidValue(position: 2) }
        for position in stride(from: 6, to: expected, by: 2)
        where values[position] * 83 + values[position + 1] >= 19 * 19 * 19 {
            throw .invalidValue(position: position)
        }
        let most = Double(values[1] + 1) / 166 * punch
        func share(_ digit: Int) -> Double {
            let value = Double(digit - 9) / 9
            return value * value.magnitude * most
        }
        coefficients =
            [SIMD3(Self.light(mean >> 16), Self.light(mean >> 8 & 255), Self.light(mean & 255))]
            + stride(from: 6, to: expected, by: 2).map { position in
                let value = values[position] * 83 + values[position + 1]
                return SIMD3(share(value / 361), share(value / 19 % 19), share(value % 19))
            }
    }

    func bitmap(_ size: PixelSize) throws(CodecError) -> Bitmap {
        func waves(_ count: Int, _ length: Int) -> [[Double]] {
            (0..<length).map { position in
                (0..<count).map { cos(Double.pi * Double(position * $0) / Double(length)) }
            }
        }
        let (across, down) = (waves(columns, size.width), waves(rows, size.height))
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        pixels.withUnsafeMutableBytes { output in
            for y in 0..<size.height {
                // The coefficients of this row.
                let line = (0..<columns).map { x in
                    (0..<rows).reduce(SIMD3<Double>()) { $0 + coefficients[$1 * columns + x] * down[y][$1] }
                }
                for x in 0..<size.width {
                    let light = (0..<columns).reduce(SIMD3<Double>()) { $0 + line[$1] * across[x][$1] }
                    let offset = (y * size.width + x) * 4
                    output[offset] = Self.encoded(light.z)
                    output[offset + 1] = Self.encoded(light.y)
                    output[offset + 2] = Self.encoded(light.x)
                    output[offset + 3] = 255
                }
            }
        }
        return pixels.freeze()
    }

    /// Linear light of an sRGB level (IEC 61966-2-1).
    private static func light(_ level: Int) -> Double {
        let value = Double(level) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ light: Double) -> UInt8 {
        let value = min(max(light, 0), 1)
        let level = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        return UInt8((level * 255).rounded())
    }
}
