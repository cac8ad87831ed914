import AlcedoRaster

/// Bitmaps for display; a large image in a small view is decoded at a reduced size.
extension Image {
    /// A decoded bitmap that covers `size` pixels, or the full-size bitmap for a `size` of nil; nil if none is
    /// decoded.
    package func pixels(covering size: PixelSize?) -> Bitmap? {
        if let bitmap = decodedBitmap, size == nil || !isScalable { return bitmap }
        guard let size, let reduced = store.reducedBitmap else { return nil }
        let wanted = pixelSize.scaled(toCover: size, isScalable: isScalable)
        return reduced.width >= wanted.width && reduced.height >= wanted.height ? reduced : nil
    }

    /// A bitmap that covers `size` pixels; decoded on the calling thread unless it is already.
    ///
    /// The image keeps only this bitmap if its own size is larger, and does not count as decoded. A vector image is
    /// rendered at the size that fits into `size`, even above its own size.
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

    /// Decodes on a worker thread, then calls `completion` on the main thread; with nil if the image is damaged.
    package func decode(
        covering size: PixelSize?,
        then completion: @escaping @MainActor @Sendable (Image, Bitmap?) -> Void
    ) {
        tryDecoding(covering: size) { [self] result in completion(self, try? result.get()) }
    }

    /// Decodes on a worker thread, then calls `completion` on the main thread.
    func tryDecoding(
        covering size: PixelSize?,
        then completion: @escaping @MainActor @Sendable (Result<Bitmap, CodecError>) -> Void
    ) {
        WorkerPool.shared.submit { [self] in
            let result = Result { () throws(CodecError) in try decodedPixels(covering: size) }
            onMain { completion(result) }
        }
    }
}

extension PixelSize {
    /// This size, reduced as far as it still covers `size`; for a vector image, the size that fits into `size`.
    func scaled(toCover size: PixelSize, isScalable: Bool) -> PixelSize {
        // Integer arithmetic, because a rounding error would add a row or column.
        let scalesByWidth = (size.width * height >= size.height * width) != isScalable
        let (wanted, present) = scalesByWidth ? (size.width, width) : (size.height, height)
        guard wanted < present || isScalable else { return self }
        func scaled(_ side: Int) -> Int { (side * wanted + present - 1) / present }
        return PixelSize(width: scaled(width), height: scaled(height))
    }
}
