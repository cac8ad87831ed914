public import AlcedoPixels

extension Bitmap {
    /// Copies a rectangle whose upper left pixel is (`x`, `y`); returns `self` if it is the whole bitmap.
    ///
    /// A deep bitmap stays deep.
    ///
    /// - Precondition: The rectangle is not empty and lies within the bitmap; ``alpha`` is not
    ///   ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public func cropped(x: Int, y: Int, width: Int, height: Int) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be cropped")
        precondition(
            x >= 0 && y >= 0 && width > 0 && height > 0
                && width <= self.width - x && height <= self.height - y,
            "the rectangle is empty or not within the bitmap"
        )
        let target = PixelSize(width: width, height: height)
        if target == size { return self }
        var result = try PixelBuilder(size: target, alpha: alpha, deep: deep)
        let bytesPerPixel = bytesPerPixel
        result.withUnsafeMutableBytes { output in
            guard var row = output.baseAddress, let pixels = storage.baseAddress else { return }
            var source = pixels + (y * self.width + x) * bytesPerPixel
            for _ in 0..<height {
                row.copyMemory(from: source, byteCount: width * bytesPerPixel)
                row += width * bytesPerPixel
                source += self.width * bytesPerPixel
            }
        }
        return result.freeze()
    }
}
