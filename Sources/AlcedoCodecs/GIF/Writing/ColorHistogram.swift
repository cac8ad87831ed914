/// How often each colour occurs, at five bits of red, six of green and five of blue.
struct ColorHistogram {
    /// Colours that are as good as equal.
    struct Entry {
        /// Red, green and blue on average.
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

    /// Adds those of `count` pixels that are opaque.
    mutating func add(_ pixels: UnsafePointer<UInt32>, count: Int) {
        counts.withUnsafeMutableBufferPointer { counts in
            sums.withUnsafeMutableBufferPointer { sums in
                for index in 0..<count {
                    let pixel = pixels[index]
                    guard pixel >= 0xFF00_0000 else { continue }
                    let bin = Self.bin(pixel)
                    // Sums of bytes stay exact for 16 million pixels of one bin; beyond, those are enough.
                    guard counts[bin] < 1 << 24 else { continue }
                    counts[bin] += 1
                    sums[bin] &+= SIMD4(pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF, 0)
                }
            }
        }
    }

    /// The colours that occur.
    var entries: [Entry] {
        var entries: [Entry] = []
        for bin in 0..<Self.bins where counts[bin] > 0 {
            let weight = Float(counts[bin])
            entries.append(Entry(mean: SIMD4<Float>(sums[bin]) / weight, weight: weight))
        }
        return entries
    }
}
