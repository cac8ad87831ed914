import AlcedoPixels
import Glibc

func cosine(_ angle: Double) -> Double { cos(angle) }

/// Resampling straight from the definition, in `Double`, with no shortcut and nothing rounded before the end.
enum ReferenceResampler {
    /// The source samples of one output sample: from `start` on, one for each weight.
    private typealias Taps = (start: Int, weights: [Double])

    static func resize(_ bitmap: Bitmap, to size: PixelSize) throws(CodecError) -> Bitmap {
        let source = bitmap.withUnsafeBytes { $0.map(Double.init) }
        let turned = filteredAndTransposed(source, width: bitmap.width, height: bitmap.height, to: size.width)
        let result = filteredAndTransposed(turned, width: bitmap.height, height: size.width, to: size.height)
        return try Bitmap.make(size.width, size.height, alpha: bitmap.alpha) { x, y in
            let place = (y * size.width + x) * 4
            let alpha = min(max(result[place + 3].rounded(), 0), 255)
            // Above 255, alpha and colours come down in proportion.
            let scale = 255 / max(result[place + 3], 255)
            func byte(_ value: Double) -> UInt8 { UInt8(min(max((value * scale).rounded(), 0), alpha)) }
            return Pixel(
                blue: byte(result[place]),
                green: byte(result[place + 1]),
                red: byte(result[place + 2]),
                alpha: UInt8(alpha)
            )
        }
    }

    /// Four channels of each of `size` pixels, not rounded; alpha is at most `most`, and colours are at most alpha.
    static func resize(
        _ source: [Double], _ size: PixelSize, to target: PixelSize, most: Double
    ) -> [Double] {
        let turned = filteredAndTransposed(source, width: size.width, height: size.height, to: target.width)
        var result = filteredAndTransposed(
            turned, width: size.height, height: target.width, to: target.height)
        for place in stride(from: 0, to: result.count, by: 4) {
            let scale = most / max(result[place + 3], most)
            let alpha = min(max(result[place + 3], 0), most)
            for channel in place..<place + 3 { result[channel] = min(max(result[channel] * scale, 0), alpha) }
            result[place + 3] = alpha
        }
        return result
    }

    /// Makes every row `target` pixels wide, and rows into columns: done twice, the picture is upright again.
    private static func filteredAndTransposed(
        _ channels: [Double],
        width: Int,
        height: Int,
        to target: Int
    ) -> [Double] {
        let taps = taps(from: width, to: target)
        return [Double](unsafeUninitializedCapacity: target * height * 4) { output, count in
            channels.withUnsafeBufferPointer { input in
                for sample in taps {
                    for y in 0..<height {
                        var (blue, green, red, alpha) = (0.0, 0.0, 0.0, 0.0)
                        var place = (y * width + sample.start) * 4
                        for weight in sample.weights {
                            blue += weight * input[place]
                            green += weight * input[place + 1]
                            red += weight * input[place + 2]
                            alpha += weight * input[place + 3]
                            place += 4
                        }
                        for value in [blue, green, red, alpha] {
                            output.initializeElement(at: count, to: value)
                            count += 1
                        }
                    }
                }
            }
        }
    }

    private static func taps(from length: Int, to target: Int) -> [Taps] {
        let step = Double(length) / Double(target)
        let stretch = max(step, 1)
        return (0..<target).map { position in
            let centre = (Double(position) + 0.5) * step
            let all = (0..<length).map { lanczos((Double($0) + 0.5 - centre) / stretch) }
            let start = all.firstIndex { $0 != 0 } ?? 0
            let end = all.lastIndex { $0 != 0 } ?? length - 1
            let sum = all.reduce(0, +)
            return (start, all[start...end].map { $0 / sum })
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        return abs(x) < 3 ? 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x) : 0
    }
}
