import AlcedoPixels
import Foundation

extension ThumbHash {
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
