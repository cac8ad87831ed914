import AlcedoPixels
import Foundation

/// ThumbHash: 5 to 25 bytes with the lowest frequencies of an image, its aspect ratio and its alpha.
///
/// Format and formulas: evanw.github.io/thumbhash, by Evan Wallace. Luminance has up to 7 × 7 coefficients, two colour
/// differences have 3 × 3, alpha 5 × 5; of each only the upper left triangle. All but the constant ones have 4 bits.
struct ThumbHash {
    /// Coefficients of one channel: the constant one, and the others row by row.
    struct Channel {
        let columns: Int
        let rows: Int
        var constant: Double
        var others: [Double] = []

        /// The horizontal and vertical frequency of each coefficient but the constant one.
        static func frequencies(_ columns: Int, _ rows: Int) -> [(x: Int, y: Int)] {
            (0..<rows).flatMap { y in
                ((y == 0 ? 1 : 0)..<columns).filter { $0 * rows < columns * (rows - y) }.map { ($0, y) }
            }
        }
    }

    var luminance: Channel
    private var yellowBlue: Channel
    private var redGreen: Channel
    var alpha: Channel?
    private var isLandscape: Bool

    /// Width over height, as far as the number of coefficients shows it.
    var aspectRatio: Double {
        let most = Double(alpha == nil ? 7 : 5)
        let other = Double(shortSide)
        return isLandscape ? most / other : other / most
    }

    /// The stored number of luminance coefficients of the shorter side, from 1 to 7.
    private var shortSide: Int

    static let longestSide = 32

    /// The most bytes that a header can require.
    static let mostBytes = 29
}

// MARK: - Bytes

extension ThumbHash {
    init(_ bytes: [UInt8]) throws(ImageHashError) {
        guard bytes.count >= 5 else { throw .invalidLength(bytes.count, expected: 5) }
        let head = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let tail = Int(bytes[3]) | Int(bytes[4]) << 8
        let hasAlpha = head >> 23 == 1
        isLandscape = tail >> 15 == 1
        shortSide = max(1, tail & 7)
        let most = hasAlpha ? 5 : 7
        let (columns, rows) = (max(3, isLandscape ? most : shortSide), max(3, isLandscape ? shortSide : most))
        let counts = [
            Channel.frequencies(columns, rows).count, 5, 5, hasAlpha ? Channel.frequencies(5, 5).count : 0,
        ]
        let start = hasAlpha ? 6 : 5
        let expected = start + (counts.reduce(0, +) + 1) / 2
        guard bytes.count == expected else { throw .invalidLength(bytes.count, expected: expected) }
        var index = 0
        func channel(_ columns: Int, _ rows: Int, _ constant: Double, _ scale: Double) -> Channel {
            let others = Channel.frequencies(columns, rows).map { _ in
                let nibble = bytes[start + index / 2] >> (index % 2 * 4) & 15
                index += 1
                return (Double(nibble) / 7.5 - 1) * scale
            }
            return Channel(columns: columns, rows: rows, constant: constant, others: others)
        }
        luminance = channel(columns, rows, Double(head & 63) / 63, Double(head >> 18 & 31) / 31)
        // Colours are a quarter stronger, because quantisation makes them pale.
        yellowBlue = channel(3, 3, Double(head >> 6 & 63) / 31.5 - 1, Double(tail >> 3 & 63) / 63 * 1.25)
        redGreen = channel(3, 3, Double(head >> 12 & 63) / 31.5 - 1, Double(tail >> 9 & 63) / 63 * 1.25)
        alpha = hasAlpha ? channel(5, 5, Double(bytes[5] & 15) / 15, Double(bytes[5] >> 4) / 15) : nil
    }

    /// The hash of channels with the true scale of their coefficients.
    var bytes: [UInt8] {
        func scale(_ channel: Channel) -> Double { channel.others.map(\.magnitude).max() ?? 0 }
        func quantised(_ value: Double, _ steps: Double) -> Int {
            Int((min(max(value, 0), 1) * steps).rounded())
        }
        let head =
            quantised(luminance.constant, 63) | quantised((yellowBlue.constant + 1) / 2, 63) << 6
            | quantised((redGreen.constant + 1) / 2, 63) << 12 | quantised(scale(luminance), 31) << 18
            | (alpha == nil ? 0 : 1) << 23
        let tail =
            shortSide | quantised(scale(yellowBlue), 63) << 3 | quantised(scale(redGreen), 63) << 9
            | (isLandscape ? 1 : 0) << 15
        var bytes = [head, head >> 8, head >> 16, tail, tail >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha {
            bytes.append(UInt8(quantised(alpha.constant, 15) | quantised(scale(alpha), 15) << 4))
        }
        var nibbles: [UInt8] = []
        for channel in [luminance, yellowBlue, redGreen] + (alpha.map { [$0] } ?? []) {
            let most = scale(channel)
            nibbles += channel.others.map { UInt8(quantised(most > 0 ? 0.5 + $0 / most / 2 : 0, 15)) }
        }
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            bytes.append(nibbles[index] | (index + 1 < nibbles.count ? nibbles[index + 1] << 4 : 0))
        }
        return bytes
    }

    /// The image, at most 32 pixels wide and high.
    func bitmap() throws(CodecError) -> Bitmap {
        let (ratio, longest) = (aspectRatio, Double(Self.longestSide))
        let size = PixelSize(
            width: max(1, Int((ratio > 1 ? longest : longest * ratio).rounded())),
            height: max(1, Int((ratio > 1 ? longest / ratio : longest).rounded())))
        let columns = Waves(count: 7, length: size.width)
        let rows = Waves(count: 7, length: size.height)
        let planes = ([luminance, yellowBlue, redGreen] + (alpha.map { [$0] } ?? []))
            .map { $0.plane(columns, rows) }
        var pixels = try PixelBuilder(size: size, alpha: alpha == nil ? .opaque : .premultiplied)
        pixels.withUnsafeMutableBytes { output in
            for index in 0..<size.area {
                let (light, yellow, red) = (planes[0][index], planes[1][index], planes[2][index])
                let opacity = planes.count > 3 ? min(max(planes[3][index], 0), 1) : 1
                let blueLight = light - 2 / 3 * yellow
                let redLight = (3 * light - blueLight + red) / 2
                for (offset, value) in [blueLight, redLight - red, redLight].enumerated() {
                    output[index * 4 + offset] = UInt8((min(max(value, 0), 1) * opacity * 255).rounded())
                }
                output[index * 4 + 3] = UInt8((opacity * 255).rounded())
            }
        }
        return pixels.freeze()
    }

    /// The hash of straight RGBA pixels of at most 100 × 100, for an image whose aspect ratio is that of `shape`.
    init(rgba: [UInt8], size: PixelSize, shape: PixelSize) {
        func pixel(_ index: Int) -> (color: SIMD3<Double>, opacity: Double) {
            let channels = (0..<4).map { Double(rgba[index * 4 + $0]) / 255 }
            return (SIMD3(channels[0], channels[1], channels[2]), channels[3])
        }
        var sums = SIMD4<Double>()
        for index in 0..<size.area {
            let (color, opacity) = pixel(index)
            sums += SIMD4(color * opacity, opacity)
        }
        let mean = sums.w > 0 ? SIMD3(sums.x, sums.y, sums.z) / sums.w : SIMD3()
        let hasAlpha = sums.w < Double(size.area) - 1e-6
        var planes = [[Double]](repeating: [], count: 4)
        for index in 0..<size.area {
            let (color, opacity) = pixel(index)
            // Over the mean colour, so that clear pixels don't count.
            let light = mean * (1 - opacity) + color * opacity
            planes[0].append((light.x + light.y + light.z) / 3)
            planes[1].append((light.x + light.y) / 2 - light.z)
            planes[2].append(light.x - light.y)
            planes[3].append(opacity)
        }
        let most = hasAlpha ? 5 : 7
        let longest = Double(max(shape.width, shape.height))
        func count(_ side: Int) -> Int { max(1, Int((Double(most * side) / longest).rounded())) }
        let columns = Waves(count: 7, length: size.width)
        let rows = Waves(count: 7, length: size.height)
        func channel(_ plane: [Double], _ x: Int, _ y: Int) -> Channel {
            Channel(plane, columns: x, rows: y, columns, rows)
        }
        isLandscape = shape.width > shape.height
        shortSide = isLandscape ? count(shape.height) : count(shape.width)
        luminance = channel(planes[0], max(3, count(shape.width)), max(3, count(shape.height)))
        yellowBlue = channel(planes[1], 3, 3)
        redGreen = channel(planes[2], 3, 3)
        alpha = hasAlpha ? channel(planes[3], 5, 5) : nil
    }
}

/// Cosines of the lowest frequencies at the centres of a side's pixels.
private struct Waves {
    let length: Int
    private let values: [Double]

    init(count: Int, length: Int) {
        self.length = length
        values = (0..<count).flatMap { frequency in
            (0..<length).map { cos(Double.pi / Double(length) * (Double($0) + 0.5) * Double(frequency)) }
        }
    }

    subscript(frequency: Int, position: Int) -> Double { values[frequency * length + position] }
}

extension ThumbHash.Channel {
    /// The discrete cosine transform of a plane, divided by its number of pixels.
    fileprivate init(_ plane: [Double], columns: Int, rows: Int, _ across: Waves, _ down: Waves) {
        func coefficient(_ frequency: (x: Int, y: Int)) -> Double {
            var sum = 0.0
            for y in 0..<down.length {
                var line = 0.0
                for x in 0..<across.length { line += plane[y * across.length + x] * across[frequency.x, x] }
                sum += line * down[frequency.y, y]
            }
            return sum / Double(plane.count)
        }
        self.init(
            columns: columns, rows: rows, constant: coefficient((0, 0)),
            others: Self.frequencies(columns, rows).map(coefficient))
    }

    /// The inverse transform: rows of coefficients first, then columns of the result.
    fileprivate func plane(_ across: Waves, _ down: Waves) -> [Double] {
        let frequencies = Self.frequencies(columns, rows)
        var lines = [[Double]](repeating: [Double](repeating: 0, count: across.length), count: rows)
        for (frequency, value) in zip(frequencies, others) {
            for x in 0..<across.length { lines[frequency.y][x] += 2 * value * across[frequency.x, x] }
        }
        return (0..<down.length).flatMap { y in
            (0..<across.length).map { x in
                (0..<rows).reduce(constant) { $0 + lines[$1][x] * down[$1, y] }
            }
        }
    }
}
