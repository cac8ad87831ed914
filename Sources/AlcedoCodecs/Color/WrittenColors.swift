package import AlcedoPixels

/// What an encoder writes of a bitmap: some bits a channel, in a colour space that it names.
package struct WrittenColors {
    package let bits: Int
    package let space: ColorSpace

    /// In 8 bits of ``space`` if so many are written; else deep, or in 8 bits of sRGB that become more.
    package let bitmap: Bitmap

    /// - Parameters:
    ///   - bitmap: what to write.
    ///   - depth: the wanted bits; nil for 8 if they have all that the bitmap has, or else for `most`.
    ///   - most: what the format has room for.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    package init(_ bitmap: Bitmap, depth: Int?, most: Int) throws(CodecError) {
        space = bitmap.colorSpace
        bits = depth ?? (bitmap.hasOnlyBytes ? 8 : most)
        self.bitmap = bits == 8 && bitmap.isDeep ? try bitmap.cut(isStraight: true) : bitmap
    }

    package var hasAlpha: Bool { bitmap.alpha != .opaque }

    /// Red, green, blue and alpha of ``bits`` each, straight, of all pixels.
    package func samples() -> [SIMD4<UInt16>] {
        let most = UInt32(1) << UInt32(bits) - 1
        func scaled(_ level: UInt16) -> UInt16 { UInt16((UInt32(level) * most + 32767) / 65535) }
        guard bitmap.isDeep else {
            return bitmap.bytes(in: PixelLayout(.rgba, .straight)).withUnsafeBytes { bytes in
                bytes.bindMemory(to: SIMD4<UInt8>.self)
                    .map { pixel in
                        let wide = SIMD4<UInt16>(truncatingIfNeeded: pixel) &* 257
                        return SIMD4(scaled(wide.x), scaled(wide.y), scaled(wide.z), scaled(wide.w))
                    }
            }
        }
        var pixels = Array(bitmap.storage.bindMemory(to: SIMD4<UInt16>.self))
        pixels.withUnsafeMutableBufferPointer { pixels in
            if bitmap.alpha == .premultiplied { DeepConverter.unpremultiply(pixels) }
            guard bits < 16 else { return }
            for index in pixels.indices {
                let pixel = pixels[index]
                pixels[index] = SIMD4(scaled(pixel.x), scaled(pixel.y), scaled(pixel.z), scaled(pixel.w))
            }
        }
        return pixels
    }
}
