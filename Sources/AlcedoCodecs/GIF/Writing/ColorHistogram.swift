/// A histogram of colours with five bits of red, six of green and five of blue.
struct ColorHistogram {
    /// The colours of a bin.
    struct Entry {
        /// Mean red, green and blue, and alpha if it counts.
        var mean: SIMD4<Float>
        var weight: Float
    }

    private var counts = [UInt32](repeating: 0, count: Self.bins)
    private var sums = [SIMD4<UInt32>](repeating: .zero, count: Self.bins)

    static let bins = 1 << 16

    /// The bin of the colour 0xAARRGGBB.
    @inline(__always)
    static func bin(_ color: UInt32) -> Int {
        let red = color >> 8 & 0xF800
        let green = color >> 5 & 0x07E0
        let blue = color >> 3 & 0x001F
        return Int(red | green | blue)
    }

    /// Adds the opaque ones of `count` pixels.
    mutating func add(_ pixels: UnsafePointer<UInt32>, count: Int) {
        counts.withUnsafeMutableBufferPointer { counts in
            sums.withUnsafeMutableBufferPointer { sums in
                for index in 0..<count {
                    let pixel = pixels[index]
                    guard pixel >= 0xFF00_0000 else { continue }
                    let bin = Self.bin(pixel)
                    // Sums are exact for 2²⁴ pixels per bin; further pixels are ignored.
                    guard counts[bin] < 1 << 24 else { continue }
                    counts[bin] += 1
                    sums[bin] &+= SIMD4(pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF, 0)
                }
            }
        }
    }

    /// The bins that are not empty.
    var entries: [Entry] {
        var entries: [Entry] = []
        for bin in 0..<Self.bins where counts[bin] > 0 {
            let weight = Float(counts[bin])
            entries.append(Entry(mean: SIMD4<Float>(sums[bin]) / weight, weight: weight))
        }
        return entries
    }
}
