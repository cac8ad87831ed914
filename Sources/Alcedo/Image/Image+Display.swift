import AlcedoRaster

/// Pixels for a screen, of which a large image in a small view needs few.
extension Image {
    /// Pixels that are decoded already and enough to cover `size`, in pixels; nil for the size means all of them.
    package func pixels(covering size: PixelSize?) -> Bitmap? {
        if let bitmap = decodedBitmap, size == nil || !isScalable { return bitmap }
        guard let size, let reduced = store.reducedBitmap else { return nil }
        let wanted = pixelSize.scaled(toCover: size, isScalable: isScalable)
        return reduced.width >= wanted.width && reduced.height >= wanted.height ? reduced : nil
    }

    /// Pixels that are enough to cover `size`, in pixels; decoded now, on this thread, unless they have been before.
    ///
    /// Of an image that is larger no more are kept than these: it does not count as decoded. A vector picture is drawn
    /// as large as it fits, though its own size may be smaller.
    ///
    /// - Throws: ``CodecError`` if the image is damaged.
    package func decodedPixels(covering size: PixelSize?) throws(CodecError) -> Bitmap {
        if let bitmap = pixels(covering: size) { return bitmap }
        guard let size, encoded != nil else { return try bitmap() }
        let wanted = pixelSize.scaled(toCover: size, isScalable: isScalable)
        guard isScalable || wanted.area <= pixelSize.area / 2 else { return try bitmap() }
        let reduced = try pixels(resizedTo: wanted)
        store.keep(reduced: reduced)
        return reduced
    }

    /// Decodes pixels on a worker thread and hands them over, on the main thread; nil if the image is damaged.
    package func decode(
        covering size: PixelSize?,
        then handOver: @escaping @MainActor @Sendable (Image, Bitmap?) -> Void
    ) {
        WorkerPool.shared.submit { [self] in
            let bitmap = try? decodedPixels(covering: size)
            onMain { [self] in handOver(self, bitmap) }
        }
    }
}

extension PixelSize {
    /// This size, reduced as far as it still covers `size`; of a vector picture, the size that fits into `size`.
    fileprivate func scaled(toCover size: PixelSize, isScalable: Bool) -> PixelSize {
        // Whole numbers, for a rounding error would be another row or column.
        let goesByWidth = (size.width * height >= size.height * width) != isScalable
        let (wanted, present) = goesByWidth ? (size.width, width) : (size.height, height)
        guard wanted < present || isScalable else { return self }
        func scaled(_ side: Int) -> Int { (side * wanted + present - 1) / present }
        return PixelSize(width: scaled(width), height: scaled(height))
    }
}
