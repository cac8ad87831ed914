package import AlcedoPixels

/// The ramps in the files of `Fixtures/deep`, which `scripts/make-deep-fixtures.c` writes.
package enum DeepRamps {
    package static let size = PixelSize(width: 256, height: 4)

    /// A ramp in each channel, and a dark one in all of them, whose levels 8 bits don't have; up to 65,535.
    package static func level(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        if y == 3 { return x * 16 }
        return y == channel ? x * 251 + 700 : [0, 9000, 40000][(channel + y) % 3]
    }

    /// A deep bitmap of them, in `space`, with alpha that falls from left to right unless it is opaque.
    ///
    /// `conversion` is Alcedo's, which this module doesn't know.
    package static func bitmap(
        _ space: ColorSpace, _ alpha: Bitmap.Alpha = .opaque, rows: Int = size.height,
        _ conversion: any StandardConversion
    ) throws -> Bitmap {
        let size = PixelSize(width: Self.size.width, height: rows)
        var pixels = try PixelBuilder(size: size, alpha: alpha, deep: DeepColors(space, conversion))
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for y in 0..<rows {
                for x in 0..<size.width {
                    let opacity = alpha == .opaque ? 65535 : 65535 - x * 150
                    let row = y * Self.size.height / rows
                    let levels = (0..<3).map { channel in
                        let level = level(x, row, channel)
                        return UInt16(alpha == .premultiplied ? level * opacity / 65535 : level)
                    }
                    samples[y * size.width + x] = SIMD4(levels[0], levels[1], levels[2], UInt16(opacity))
                }
            }
        }
        return pixels.freeze()
    }

    /// The largest difference of the samples of two deep bitmaps, in levels of 65,535.
    package static func difference(_ one: Bitmap, _ other: Bitmap) -> Int {
        guard one.size == other.size, one.alpha == other.alpha else { return .max }
        let samples = [one, other].compactMap { bitmap in bitmap.withDeepSamples { Array($0) } }
        guard samples.count == 2 else { return .max }
        return zip(samples[0], samples[1]).map { abs(Int($0) - Int($1)) }.max() ?? .max
    }

    /// From 0 to 1.
    private static func sample(_ x: Int, _ y: Int, _ channel: Int, bits: Int) -> Double {
        let most = 1 << bits - 1
        return Double((level(x, y, channel) * most + 32767) / 65535) / Double(most)
    }

    /// How far at most the samples of a deep bitmap are from those of the file, in levels of 65,535.
    ///
    /// A picture with more rows repeats each.
    package static func difference(_ bitmap: Bitmap, bits: Int) -> Double {
        guard bitmap.width == size.width, bitmap.alpha == .opaque else { return .infinity }
        return bitmap.withDeepSamples { samples in
            var worst = 0.0
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    for channel in 0..<3 {
                        let exact = sample(x, y * size.height / bitmap.height, channel, bits: bits) * 65535
                        let found = Double(samples[(y * bitmap.width + x) * 4 + channel])
                        worst = max(worst, abs(found - exact))
                    }
                }
            }
            return worst
        } ?? .infinity
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
