import AlcedoPixels

extension Bitmap {
    /// Replaces each block of `side` × `side` pixels by its mean; blocks at the far edges may be smaller.
    consuming func pixelated(side: Int) throws(CodecError) -> Bitmap {
        guard side > 1 else { return self }
        let blocks = Blocks(size: size, side: side)
        if isDeep { return try editingDeep { blocks.average($0) } }
        return try editing(alpha: alpha) { pixels in
            guard let start = pixels.bindMemory(to: SIMD4<UInt8>.self).baseAddress else { return }
            blocks.average(start)
        }
    }
}

/// The blocks of a bitmap.
private struct Blocks {
    let size: PixelSize
    let side: Int

    /// Gives all pixels of a block their mean.
    func average<Channel>(_ pixels: UnsafeMutablePointer<SIMD4<Channel>>)
    where Channel: SIMDScalar & FixedWidthInteger {
        let (width, height) = (size.width, size.height)
        for top in stride(from: 0, to: height, by: min(side, height)) {
            let rows = top..<min(top + min(side, height), height)
            for left in stride(from: 0, to: width, by: min(side, width)) {
                let columns = left..<min(left + min(side, width), width)
                var sum = SIMD4<Int>.zero
                for y in rows {
                    for x in columns { sum &+= SIMD4(truncatingIfNeeded: pixels[y * width + x]) }
                }
                let count = rows.count * columns.count
                let mean = SIMD4<Channel>(truncatingIfNeeded: (sum &+ count / 2) / count)
                for y in rows {
                    for x in columns { pixels[y * width + x] = mean }
                }
            }
        }
    }
}
