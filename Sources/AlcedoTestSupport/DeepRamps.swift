package import AlcedoPixels

/// The ramps in the files of `Fixtures/deep`, which `scripts/make-deep-fixtures.c` writes.
package enum DeepRamps {
    package static let size = PixelSize(width: 256, height: 4)

    /// A ramp in each channel, and a dark one in all of them, whose levels 8 bits don't have; up to 65,535.
    package static func level(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        if y == 3 { return x * 16 }
        return y == channel ? x * 251 + 700 : [0, 9000, 40000][(channel + y) % 3]
    }

    /// From 0 to 1.
    private static func sample(_ x: Int, _ y: Int, _ channel: Int, bits: Int) -> Double {
        let most = 1 << bits - 1
        return Double((level(x, y, channel) * most + 32767) / 65535) / Double(most)
    }

    /// How far at most the levels that `decode` returns are from the exact ones, rounded and dithered.
    ///
    /// A picture with more rows repeats each.
    package static func differences(
        bits: Int, _ encoding: ExactColor, decode: (DecodeOptions) throws -> Bitmap
    ) throws -> (rounded: Double, dithered: Double) {
        func difference(isDithered: Bool) throws -> Double {
            let bitmap = try decode(DecodeOptions { $0.limits.isDithered = isDithered })
            guard bitmap.width == size.width, bitmap.alpha == .opaque else { return .infinity }
            return bitmap.withUnsafeBytes { bytes in
                var worst = 0.0
                for y in 0..<bitmap.height {
                    let row = y * size.height / bitmap.height
                    for x in 0..<bitmap.width {
                        let exact = encoding.sRGB((0..<3).map { sample(x, row, $0, bits: bits) })
                        for channel in 0..<3 {
                            let found = bytes[(y * bitmap.width + x) * 4 + 2 - channel]
                            worst = max(worst, abs(Double(found) - exact[channel]))
                        }
                    }
                }
                return worst
            }
        }
        return (try difference(isDithered: false), try difference(isDithered: true))
    }
}
