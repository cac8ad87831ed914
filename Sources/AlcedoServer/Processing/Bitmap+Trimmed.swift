import AlcedoPixels

extension Bitmap {
    /// What is left after a border of one colour is removed: the smallest frame around all other pixels.
    ///
    /// Transparent pixels count as magenta. If all pixels belong to the border, all are left.
    func frame(trimmedBy trim: Trim) -> PixelFrame {
        let whole = PixelFrame(width: width, height: height)
        let pixels = unsafeBaseAddress.assumingMemoryBound(to: UInt8.self)
        let border = trim.color.map { SIMD3(Int($0.blue), Int($0.green), Int($0.red)) } ?? color(pixels)
        let threshold = Int(min(max(trim.threshold, 0), 255))
        func differs(_ x: Int, _ y: Int) -> Bool {
            let difference = color(pixels + (y * width + x) * 4) &- border
            return max(abs(difference[0]), abs(difference[1]), abs(difference[2])) > threshold
        }
        guard let top = (0..<height).first(where: { y in (0..<width).contains { differs($0, y) } }),
            let bottom = (top..<height).last(where: { y in (0..<width).contains { differs($0, y) } })
        else { return whole }
        let rows = top...bottom
        let left = (0..<width).first { x in rows.contains { differs(x, $0) } } ?? 0
        let right = (left..<width).last { x in rows.contains { differs(x, $0) } } ?? width - 1
        let margins = Margins(
            left: left, right: width - 1 - right, top: top, bottom: height - 1 - bottom, trim: trim)
        withExtendedLifetime(self) {}
        return PixelFrame(
            x: margins.left, y: margins.top, width: width - margins.left - margins.right,
            height: height - margins.top - margins.bottom)
    }

    /// Blue, green and red over magenta.
    private func color(_ pixel: UnsafePointer<UInt8>) -> SIMD3<Int> {
        let rest = 255 - Int(pixel[3])
        return SIMD3(Int(pixel[0]) + rest, Int(pixel[1]), Int(pixel[2]) + rest)
    }
}

/// The pixels to remove at each edge.
private struct Margins {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int

    init(left: Int, right: Int, top: Int, bottom: Int, trim: Trim) {
        (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
        if trim.equalHorizontally {
            self.left = min(left, right)
            self.right = self.left
        }
        if trim.equalVertically {
            self.top = min(top, bottom)
            self.bottom = self.top
        }
    }
}
