package import AlcedoPixels

/// Rows of four-byte pixels in a codec's output; valid only inside the closure that provides the memory.
package struct PixelRows {
    package let base: UnsafeMutablePointer<UInt32>
    package let size: PixelSize

    /// Wraps all pixels of a builder of `size`, or its first rows.
    package init(_ buffer: UnsafeMutableRawBufferPointer, _ size: PixelSize) {
        self.init(buffer.baseAddress, size)
    }

    /// - Precondition: `base` is the address of at least `size.area * 4` bytes.
    init(_ base: UnsafeMutableRawPointer?, _ size: PixelSize) {
        guard let base else { preconditionFailure("pixels without memory") }
        self.base = base.assumingMemoryBound(to: UInt32.self)
        self.size = size
    }

    package func row(_ index: Int) -> PixelRows {
        PixelRows(base + index * size.width, PixelSize(width: size.width, height: 1))
    }

    func rows(_ range: Range<Int>) -> PixelRows {
        PixelRows(base + range.lowerBound * size.width, PixelSize(width: size.width, height: range.count))
    }

    private var lanes: (whole: Int, count: Int) { (size.area & ~3, size.area) }

    /// Exchanges the first and the third byte of each pixel.
    package func swapRedAndBlue() {
        for index in 0..<size.area {
            let pixel = base[index]
            base[index] = pixel & 0xFF00_FF00 | (pixel & 0xFF) << 16 | (pixel >> 16) & 0xFF
        }
    }

    /// Sets each fourth byte to 255.
    func makeOpaque() {
        for index in 0..<size.area { base[index] |= 0xFF00_0000 }
    }

    /// Packs the pixels into three bytes each, in place.
    func dropAlpha() {
        let bytes = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
        for index in 0..<size.area {
            let pixel = base[index]
            bytes[index * 3] = UInt8(truncatingIfNeeded: pixel)
            bytes[index * 3 + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
            bytes[index * 3 + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
        }
    }

    /// Whether each fourth byte is 255.
    package var isOpaque: Bool {
        var all: UInt32 = .max
        for index in 0..<size.area { all &= base[index] }
        return all >= 0xFF00_0000
    }

    /// Premultiplies, rounding to nearest; returns whether every alpha is 255.
    ///
    /// With `swapping` it also exchanges the first and the third byte.
    package func premultiply(swapping: Bool = false) -> Bool {
        var all: UInt32 = .max
        let (whole, count) = lanes
        var index = 0
        var allLanes = SIMD4<UInt32>(repeating: .max)
        while index < whole {
            let address = UnsafeMutableRawPointer(base + index)
            let pixels = address.loadUnaligned(as: SIMD4<UInt32>.self)
            allLanes &= pixels
            address.storeBytes(of: Self.premultiplied(pixels, swapping), as: SIMD4<UInt32>.self)
            index += 4
        }
        while index < count {
            all &= base[index]
            base[index] = Self.premultiplied(SIMD4(repeating: base[index]), swapping)[0]
            index += 1
        }
        all &= allLanes[0] & allLanes[1] & allLanes[2] & allLanes[3]
        return all >= 0xFF00_0000
    }

    /// Divides the colours by alpha, rounding to nearest; the exact inverse of `premultiply` on its results.
    package func unpremultiply() {
        for index in 0..<size.area {
            let pixel = base[index]
            let alpha = pixel >> 24
            guard alpha != 255, alpha != 0 else { continue }
            func divided(_ shift: UInt32) -> UInt32 {
                min(((pixel >> shift & 0xFF) * 255 + alpha / 2) / alpha, 255) << shift
            }
            base[index] = alpha << 24 | divided(16) | divided(8) | divided(0)
        }
    }

    /// Clamps colours to their alpha.
    package func limitToAlpha() {
        for index in 0..<size.area {
            let pixel = base[index]
            let alpha = pixel >> 24
            guard alpha < 255 else { continue }
            func limited(_ shift: UInt32) -> UInt32 { min(pixel >> shift & 0xFF, alpha) << shift }
            base[index] = alpha << 24 | limited(16) | limited(8) | limited(0)
        }
    }

    /// Converts inverted CMYK to opaque BGRA.
    package func multiplyByBlack() {
        for index in 0..<size.area {
            let pixel = base[index]
            let black = pixel >> 24
            func lit(_ shift: UInt32) -> UInt32 { ((pixel >> shift & 0xFF) * black + 127) / 255 }
            base[index] = 0xFF00_0000 | lit(0) << 16 | lit(8) << 8 | lit(16)
        }
    }

    /// Divides by 255, rounding to nearest: `x / 255` is `(t + t >> 8) >> 8` with `t = x + 128` for every product of two
    /// bytes, and `t` fits the 16-bit lanes.
    @inline(__always)
    private static func premultiplied(_ pixels: SIMD4<UInt32>, _ swapping: Bool) -> SIMD4<UInt32> {
        let alpha = pixels &>> 24
        var even = pixels & 0x00FF_00FF
        if swapping { even = even &<< 16 | even &>> 16 }
        // The factor of alpha is 255, so alpha does not change.
        let odd = (pixels &>> 8) & 0x0000_00FF | 0x00FF_0000
        let factor = alpha | alpha &<< 16
        return multiplied(even, factor) | multiplied(odd, factor) &<< 8
    }

    @inline(__always)
    private static func multiplied(_ bytes: SIMD4<UInt32>, _ factor: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let product = halves(bytes) &* halves(factor) &+ 128
        // Safe because both are 16 bytes of plain bits.
        return unsafeBitCast((product &+ product &>> 8) &>> 8, to: SIMD4<UInt32>.self)
    }

    @inline(__always)
    private static func halves(_ words: SIMD4<UInt32>) -> SIMD8<UInt16> {
        // Safe because both are 16 bytes of plain bits.
        unsafeBitCast(words, to: SIMD8<UInt16>.self)
    }
}
