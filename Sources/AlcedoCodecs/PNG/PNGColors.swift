import AlcedoPixels

/// The properties that all pixels share, found in one pass that stops once none is left.
struct PNGColors {
    private var isGrey = true
    private var isOpaque = true

    /// All different colours; nil for more than 256.
    private var colors: ExactPalette? = ExactPalette(limit: 256)

    init() {}

    init(_ bitmap: Bitmap, mayBeGrey: Bool = true) {
        isGrey = mayBeGrey
        add(bitmap)
    }

    /// Looks at the pixels of one more bitmap; all have the same kind of alpha.
    mutating func add(_ bitmap: Bitmap) {
        bitmap.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            add(base.assumingMemoryBound(to: UInt32.self), bitmap.size.area, bitmap.alpha)
        }
    }

    private mutating func add(_ pixels: UnsafePointer<UInt32>, _ count: Int, _ alpha: Bitmap.Alpha) {
        let opacity: UInt32 = alpha == .opaque ? 0xFF00_0000 : 0
        var index = 0
        if var found = colors {
            colors = nil
            // The colour looked up last for each hash, which saves most lookups.
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: ExactPalette.slotCount) { recent in
                recent.initialize(repeating: 0)
                // 0 has this slot, and must not be taken for one that was looked up.
                recent[ExactPalette.slot(0)] = 1
                while index < count {
                    let pixel = pixels[index] | opacity
                    let slot = ExactPalette.slot(pixel)
                    if recent[slot] != pixel {
                        guard found.index(of: pixel) != nil else { break }
                        recent[slot] = pixel
                    }
                    index += 1
                }
            }
            for color in found.colors { note(color) }
            if index == count { colors = found }
        }
        while isGrey, index < count {
            note(pixels[index] | opacity)
            index += 1
        }
        if isOpaque, opacity == 0 {
            var all = UInt32.max
            for index in index..<count { all &= pixels[index] }
            isOpaque = all >= 0xFF00_0000
        }
    }

    private mutating func note(_ pixel: UInt32) {
        isGrey = isGrey && (pixel ^ pixel >> 8) & 0xFFFF == 0
        isOpaque = isOpaque && pixel >= 0xFF00_0000
    }

    /// A byte for each channel that is needed.
    var plain: PNGLayout {
        PNGLayout(isGrey ? (isOpaque ? .grey : .greyAlpha) : (isOpaque ? .rgb : .rgba))
    }

    /// A layout with fewer bits a pixel; nil if there is none.
    ///
    /// It has a palette unless grey samples of 1, 2 or 4 bits do.
    func packed(_ alpha: Bitmap.Alpha) -> PNGLayout? {
        guard let colors = colors?.colors, !colors.isEmpty else { return nil }
        if isGrey, isOpaque {
            let depth = [1, 2, 4].first { depth in
                let step = 255 / UInt32(1 << depth - 1)
                return colors.allSatisfy { $0 & 0xFF % step == 0 }
            }
            if let depth { return PNGLayout(.grey, depth: depth) }
            if colors.count > 16 { return nil }
        }
        var straight = colors.filter { $0 < 0xFF00_0000 } + colors.filter { $0 >= 0xFF00_0000 }
        if alpha == .premultiplied {
            straight.withUnsafeMutableBytes { bytes in
                PixelRows(bytes, PixelSize(width: colors.count, height: 1)).unpremultiply()
            }
        }
        // Colours above their alpha may become equal.
        var palette = ExactPalette(limit: 256)
        for color in straight { _ = palette.index(of: color) }
        let depth = [1, 2, 4].first { palette.colors.count <= 1 << $0 } ?? 8
        return PNGLayout(.palette, depth: depth, palette: palette.colors)
    }
}
