/// A palette with a search for the nearest colour.
struct Palette {
    /// Opaque, 0xAARRGGBB; at least one, at most 256.
    let colors: [UInt32]

    /// Red, green and blue of eight colours per vector; padded with the last colour.
    ///
    /// Squares of differences are exact in `Float`, which all processors multiply in one instruction, unlike `Int32`.
    private let reds: [SIMD8<Float>]
    private let greens: [SIMD8<Float>]
    private let blues: [SIMD8<Float>]

    init(_ colors: [UInt32]) {
        self.colors = colors
        var groups: [[SIMD8<Float>]] = [[], [], []]
        for start in stride(from: 0, to: colors.count, by: 8) {
            let group = (0..<8).map { colors[min(start + $0, colors.count - 1)] }
            for (channel, shift) in [UInt32(16), 8, 0].enumerated() {
                groups[channel].append(SIMD8(group.map { Float($0 >> shift & 0xFF) }))
            }
        }
        (reds, greens, blues) = (groups[0], groups[1], groups[2])
    }

    /// The index of the colour at the least distance; channels are whole numbers from 0 to 255.
    func nearest(red: Float, green: Float, blue: Float) -> Int {
        var best = SIMD8<Float>(repeating: .infinity)
        var bestGroup = SIMD8<Int32>(repeating: 0)
        let red = SIMD8(repeating: red)
        let green = SIMD8(repeating: green)
        let blue = SIMD8(repeating: blue)
        for group in 0..<reds.count {
            let deltaRed = reds[group] - red
            let deltaGreen = greens[group] - green
            let deltaBlue = blues[group] - blue
            let distance = deltaRed * deltaRed + deltaGreen * deltaGreen + deltaBlue * deltaBlue
            let isNearer = distance .< best
            best.replace(with: distance, where: isNearer)
            bestGroup.replace(with: Int32(group), where: isNearer)
        }
        var lane = 0
        for other in 1..<8 where best[other] < best[lane] { lane = other }
        return min(Int(bestGroup[lane]) * 8 + lane, colors.count - 1)
    }
}

/// Caches the nearest colour of each histogram bin.
struct NearestColors: ~Copyable {
    private let palette: Palette

    /// Indices plus one; 0 if not computed yet.
    private let cache: UnsafeMutablePointer<UInt16>

    init(_ palette: Palette) {
        self.palette = palette
        cache = .allocate(capacity: ColorHistogram.bins)
        cache.initialize(repeating: 0, count: ColorHistogram.bins)
    }

    deinit { cache.deallocate() }

    /// The index of the approximately nearest colour; channels are from 0 to 255.
    @inline(__always)
    func index(red: Int16, green: Int16, blue: Int16) -> Int {
        let bin = Int(red & 0xF8) << 8 | Int(green & 0xFC) << 3 | Int(blue & 0xF8) >> 3
        let known = cache[bin]
        if known != 0 { return Int(known) - 1 }
        let index = palette.nearest(red: Float(red), green: Float(green), blue: Float(blue))
        cache[bin] = UInt16(index + 1)
        return index
    }
}
