import AlcedoPixels

/// Reduces a bitmap to few colours, translucent ones too.
///
/// Groups are those of ``PaletteMaker``, in premultiplied colours, refined by k-means. What a pixel's colour lacks is passed
/// to its neighbours (Floyd and Steinberg), where there is none as good: so flat areas stay flat, and small.
struct PNGQuantizer {
    private typealias Color = SIMD4<Float>

    /// From 2 to 256.
    let mostColors: Int

    /// How much of an error is passed on.
    private static let diffusion: Float = 0.75

    private static let refinements = 4

    /// Red, green, blue and alpha count as much as they are seen.
    private static let weights = Color(0.7, 1, 0.65, 1)

    /// The bitmap itself if it has no more colours.
    func quantized(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        let pixels = try FramePixels(bitmap)
        let count = bitmap.size.area
        var exact = ExactPalette(limit: mostColors)
        var hasFewColors = true
        for index in 0..<count {
            if pixels.base[index] < 0x0100_0000 { pixels.base[index] = 0 }
            hasFewColors = hasFewColors && exact.index(of: pixels.base[index]) != nil
        }
        guard !hasFewColors else { return bitmap }
        let colors = palette(for: Self.entries(pixels.base, count))
        var result = try PixelBuilder(size: bitmap.size, alpha: .opaque)
        if colors.contains(where: { $0 < 0xFF00_0000 }) { result.alpha = .straight }
        result.withUnsafeMutableBytes { output in
            guard let target = output.bindMemory(to: UInt32.self).baseAddress else { return }
            Self.dither(pixels.base, bitmap.size, to: colors, target)
        }
        return result.freeze()
    }

    /// Straight colours.
    private func palette(for entries: [ColorHistogram.Entry]) -> [UInt32] {
        var means = PaletteMaker.means(of: entries, limit: mostColors)
        guard entries.count <= PaletteMaker.refinementLimit else { return means.map(Self.straight) }
        for _ in 0..<Self.refinements {
            let search = ColorSearch(means)
            var sums = [Color](repeating: .zero, count: means.count)
            var weights = [Float](repeating: 0, count: means.count)
            for entry in entries {
                let index = search.nearest(entry.mean)
                sums[index] += entry.mean * entry.weight
                weights[index] += entry.weight
            }
            for index in means.indices where weights[index] > 0 {
                means[index] = sums[index] / weights[index]
            }
        }
        return means.map(Self.straight)
    }

    /// The colours that occur: five or six bits of a channel of opaque ones, four of each channel of others.
    private static func entries(
        _ pixels: UnsafePointer<UInt32>, _ count: Int
    ) -> [ColorHistogram.Entry] {
        let bins = 2 * ColorHistogram.bins
        var sums = [SIMD4<UInt32>](repeating: .zero, count: bins)
        var counts = [UInt32](repeating: 0, count: bins)
        for index in 0..<count {
            let pixel = pixels[index]
            let (color, alpha) = (channels(pixel), pixel >> 24)
            var bin = ColorHistogram.bin(pixel)
            if alpha < 255 {
                let bits = color &>> SIMD4(repeating: 4)
                bin = Int(bits[0] << 12 | bits[1] << 8 | bits[2] << 4 | bits[3]) + ColorHistogram.bins
            }
            // Sums are exact for 2²⁴ pixels; further pixels are ignored.
            guard counts[bin] < 1 << 24 else { continue }
            counts[bin] += 1
            sums[bin] &+= color
        }
        return counts.indices.filter { counts[$0] > 0 }.map { bin in
            let weight = Float(counts[bin])
            return ColorHistogram.Entry(mean: Color(sums[bin]) / weight * weights, weight: weight)
        }
    }

    /// Red, green and blue, premultiplied, and alpha.
    private static func channels(_ pixel: UInt32) -> SIMD4<UInt32> {
        let alpha = pixel >> 24
        let color = SIMD4(pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF, 255)
        return alpha == 255 ? color : (color &* alpha &+ 127) / 255
    }

    /// A pixel as it is compared.
    private static func color(_ pixel: UInt32) -> Color { Color(channels(pixel)) * weights }

    /// The straight pixel of a colour.
    private static func straight(_ color: Color) -> UInt32 {
        let channels = color / weights
        let alpha = min(255, channels[3].rounded())
        guard alpha > 0 else { return 0 }
        func byte(_ channel: Int) -> UInt32 {
            UInt32(min(255, max(0, (channels[channel] * 255 / alpha).rounded())))
        }
        return UInt32(alpha) << 24 | byte(0) << 16 | byte(1) << 8 | byte(2)
    }

    private static func dither(
        _ pixels: UnsafePointer<UInt32>, _ size: PixelSize, to colors: [UInt32],
        _ target: UnsafeMutablePointer<UInt32>
    ) {
        let palette = colors.map(color)
        let search = ColorSearch(palette)
        // A pixel of padding on either side saves bounds checks.
        var (here, below) = ([Color](repeating: .zero, count: size.width + 2), [Color]())
        for y in 0..<size.height {
            below = [Color](repeating: .zero, count: size.width + 2)
            let isReversed = y % 2 == 1
            let step = isReversed ? -1 : 1
            for offset in 0..<size.width {
                let x = isReversed ? size.width - 1 - offset : offset
                let place = y * size.width + x
                let wanted = color(pixels[place])
                let index = search.nearest(wanted + here[x + 1])
                target[place] = colors[index]
                // An error of less than a level is none, or it would end up as a speck somewhere.
                guard search.distance(wanted, palette[index]) > 1 else { continue }
                let error = (wanted + here[x + 1] - palette[index]) * (diffusion / 16)
                here[x + 1 + step] += error * 7
                below[x + 1 - step] += error * 3
                below[x + 1] += error * 5
                below[x + 1 + step] += error
            }
            here = below
        }
    }
}

/// Finds the nearest of up to 256 colours, eight at a time.
private struct ColorSearch {
    private var channels: [[SIMD8<Float>]] = [[], [], [], []]
    private let last: Int

    init(_ colors: [SIMD4<Float>]) {
        last = colors.count - 1
        for start in stride(from: 0, to: colors.count, by: 8) {
            for channel in 0..<4 {
                channels[channel].append(SIMD8((0..<8).map { colors[min(start + $0, last)][channel] }))
            }
        }
    }

    func distance(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> Float {
        let difference = one - other
        return (difference * difference).sum()
    }

    func nearest(_ color: SIMD4<Float>) -> Int {
        var best = SIMD8<Float>(repeating: .infinity)
        var bestGroup = SIMD8<Int32>(repeating: 0)
        let (reds, greens, blues, alphas) = (channels[0], channels[1], channels[2], channels[3])
        let (red, green) = (SIMD8(repeating: color[0]), SIMD8(repeating: color[1]))
        let (blue, alpha) = (SIMD8(repeating: color[2]), SIMD8(repeating: color[3]))
        for group in reds.indices {
            let (r, g) = (reds[group] - red, greens[group] - green)
            let (b, a) = (blues[group] - blue, alphas[group] - alpha)
            let distance = r * r + g * g + b * b + a * a
            let isNearer = distance .< best
            best.replace(with: distance, where: isNearer)
            bestGroup.replace(with: Int32(group), where: isNearer)
        }
        var lane = 0
        for other in 1..<8 where best[other] < best[lane] { lane = other }
        return min(Int(bestGroup[lane]) * 8 + lane, last)
    }
}
