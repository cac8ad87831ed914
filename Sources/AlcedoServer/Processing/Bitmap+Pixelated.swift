import AlcedoPixels

extension Bitmap {
    /// Replaces each block of `side` × `side` pixels by its mean; blocks at the far edges may be smaller.
    consuming func pixelated(side: Int) throws(CodecError) -> Bitmap {
        guard side > 1 else { return self }
        let (width, height) = (width, height)
        return try editing(alpha: alpha) { pixels in
            for top in stride(from: 0, to: height, by: min(side, height)) {
                let rows = top..<min(top + min(side, height), height)
                for left in stride(from: 0, to: width, by: min(side, width)) {
                    let columns = left..<min(left + min(side, width), width)
                    var sum = SIMD4<Int>.zero
                    for y in rows {
                        for x in columns {
                            let offset = (y * width + x) * 4
                            sum &+= SIMD4(
                                Int(pixels[offset]), Int(pixels[offset + 1]), Int(pixels[offset + 2]),
                                Int(pixels[offset + 3]))
                        }
                    }
                    let count = rows.count * columns.count
                    let mean = SIMD4<UInt8>(truncatingIfNeeded: (sum &+ count / 2) / count)
                    for y in rows {
                        for x in columns {
                            pixels.storeBytes(
                                of: mean, toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                        }
                    }
                }
            }
        }
    }
}
