package import AlcedoPixels

/// Pixels as indices of up to 255 colours: exact if there are no more, otherwise quantised and dithered.
package struct IndexedPixels {
    package let size: PixelSize

    /// 0xFFRRGGBB.
    package let colors: [UInt32]

    /// Row by row; ``clear`` for pixels with an alpha below 128.
    package let indices: [UInt8]

    /// The index of transparent pixels, which is no colour's.
    package static let clear: UInt8 = 255

    /// Chooses the colours of `bitmap`.
    ///
    /// - Throws: ``CodecError/outOfMemory`` without memory for a copy.
    package init(_ bitmap: Bitmap) throws(CodecError) {
        let pixels = try FramePixels(bitmap)
        pixels.dropTranslucency()
        let count = bitmap.size.area
        var indices = [UInt8](repeating: Self.clear, count: count)
        var exact = ExactPalette(limit: Int(Self.clear))
        let isExact = indices.withUnsafeMutableBufferPointer { indices in
            for at in 0..<count where pixels.base[at] != 0 {
                guard let index = exact.index(of: pixels.base[at]) else { return false }
                indices[at] = UInt8(index)
            }
            return true
        }
        if isExact {
            colors = exact.colors
        } else {
            var histogram = ColorHistogram()
            histogram.add(pixels.base, count: count)
            let palette = PaletteMaker.palette(for: histogram, limit: Int(Self.clear))
            let dithering = Dithering(palette, isOn: true)
            indices.withUnsafeMutableBufferPointer { indices in
                guard let base = indices.baseAddress else { return }
                dithering.assign(pixels.base, bitmap.size, clear: Self.clear, to: base)
            }
            colors = palette.colors
        }
        size = bitmap.size
        self.indices = indices
    }
}
