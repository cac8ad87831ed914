import AlcedoPixels
import Glibc

func cosine(_ angle: Double) -> Double { cos(angle) }

/// Resampling straight from the definition, in `Double`, with no shortcut and nothing rounded before the end.
enum ReferenceResampler {
    static func resize(_ bitmap: Bitmap, to size: PixelSize) throws(CodecError) -> Bitmap {
        let columns = weights(from: bitmap.width, to: size.width)
        let rows = weights(from: bitmap.height, to: size.height)
        let source = bitmap.pixels.map { $0.channels.map(Double.init) }

        var narrow = [[Double]](repeating: [0, 0, 0, 0], count: size.width * bitmap.height)
        for y in 0..<bitmap.height {
            for (x, taps) in columns.enumerated() {
                for (index, weight) in taps {
                    for channel in 0..<4 {
                        let value = source[y * bitmap.width + index][channel]
                        narrow[y * size.width + x][channel] += weight * value
                    }
                }
            }
        }
        return try Bitmap.make(size.width, size.height, alpha: bitmap.alpha) { x, y in
            var sum = [0.0, 0, 0, 0]
            for (index, weight) in rows[y] {
                for channel in 0..<4 { sum[channel] += weight * narrow[index * size.width + x][channel] }
            }
            let alpha = min(max(sum[3].rounded(), 0), 255)
            func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), alpha)) }
            return Pixel(blue: byte(sum[0]), green: byte(sum[1]), red: byte(sum[2]), alpha: UInt8(alpha))
        }
    }

    private static func weights(from length: Int, to target: Int) -> [[(index: Int, weight: Double)]] {
        let step = Double(length) / Double(target)
        let stretch = max(step, 1)
        return (0..<target).map { position in
            let centre = (Double(position) + 0.5) * step
            let raw = (0..<length).map { lanczos((Double($0) + 0.5 - centre) / stretch) }
            let sum = raw.reduce(0, +)
            return raw.enumerated().filter { $0.element != 0 }.map { ($0.offset, $0.element / sum) }
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        return abs(x) < 3 ? 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x) : 0
    }
}
