import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
import Foundation

/// The bitmap of an image that is decoded at a size; nil for all pixels.
private struct DrawingKey: Hashable {
    let store: ObjectIdentifier
    let size: PixelSize?
}

private let drawing = CoalescedWork<DrawingKey, Result<Bitmap, CodecError>>()

/// Bitmaps for display, of 8 bits in sRGB, with as many pixels as a view draws.
extension Image {
    /// The size to decode for drawing at `size` pixels: that, but no side longer than the image's, unless it is a vector image.
    package func decodedSize(drawnAt size: PixelSize) -> PixelSize {
        guard !isScalable else { return size }
        return PixelSize(width: min(size.width, pixelSize.width), height: min(size.height, pixelSize.height))
    }

    /// A decoded bitmap with enough pixels to be drawn at `size`, or with all for nil; nil if none is decoded.
    package func pixels(drawnAt size: PixelSize?) -> Bitmap? {
        if let size, let drawn = store.drawnBitmap(of: decodedSize(drawnAt: size)) { return drawn }
        if let bitmap = store.shownBitmap, size == nil || !isScalable { return bitmap }
        guard let size, let reduced = store.reducedBitmap else { return nil }
        let wanted = decodedSize(drawnAt: size)
        return reduced.width >= wanted.width && reduced.height >= wanted.height ? reduced : nil
    }

    /// The bitmap to draw at `size` pixels, with exactly these unless the image has fewer; on the calling thread.
    ///
    /// An image that is not decoded keeps the bitmap, and does not count as decoded. Views that draw at one size get one bitmap for
    /// as long as one of them draws it.
    ///
    /// - Throws: ``CodecError`` if the image is damaged.
    package func decodedPixels(drawnAt size: PixelSize?) throws(CodecError) -> Bitmap {
        guard let size else { return try store.shown() }
        let wanted = decodedSize(drawnAt: size)
        guard isScalable || wanted != pixelSize else { return try store.shown() }
        if let drawn = store.drawnBitmap(of: wanted) { return drawn }
        let isDecoded = encoded == nil || !isScalable && decodedBitmap != nil
        let bitmap = try isDecoded ? store.shown().resized(to: wanted) : pixels(resizedTo: wanted).standard()
        store.setDrawn(bitmap)
        if !isDecoded { store.keep(reduced: bitmap) }
        return bitmap
    }

    /// The upright bitmap, decoded on a worker thread unless it is already.
    package func bitmapFromWorker() async throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        let result = OneShot<Bitmap, CodecError>()
        WorkerPool.shared.submit { [self] in
            result.finish(Result { () throws(CodecError) in try bitmap() })
        }
        return try await result.value()
    }

    /// The thumbnail that a camera has put into the file, upright, decoded on a worker thread; nil if there is none.
    package func thumbnailFromWorker() async -> Bitmap? {
        guard let encoded, encoded.info.format == .jpeg else { return nil }
        let result = OneShot<Bitmap?, Never>()
        WorkerPool.shared.submit {
            // Swift 6.2 crashes at a span of a property of what a closure captures.
            let data = encoded.data
            guard let range = JPEGCodec.thumbnail(in: data.bytes) else {
                return result.finish(.success(nil))
            }
            let start = data.startIndex
            let file = data.subdata(in: start + range.lowerBound..<start + range.upperBound)
            let bitmap = try? EncodedImage(file, limits: encoded.limits, resources: encoded.resources)
                .decode()
            result.finish(.success(try? bitmap?.oriented(encoded.info.orientation)))
        }
        return await result.value()
    }

    /// Decodes on a worker thread, then calls `completion` on the main thread; with nil if the image is damaged.
    package func decode(
        drawnAt size: PixelSize?,
        then completion: @escaping @MainActor @Sendable (Image, Bitmap?) -> Void
    ) {
        tryDecoding(drawnAt: size) { [self] result in completion(self, try? result.get()) }
    }

    /// Decodes on a worker thread, once for all that wait for one size, then calls `completion` on the main thread.
    package func tryDecoding(
        drawnAt size: PixelSize?,
        then completion: @escaping @MainActor @Sendable (Result<Bitmap, CodecError>) -> Void
    ) {
        let key = DrawingKey(store: ObjectIdentifier(store), size: size.map(decodedSize))
        let (run, isNew) = drawing.join(key, for: .init { result in onMain { completion(result) } })
        guard isNew else { return }
        run.submit { [self] in
            let result = Result { () throws(CodecError) in try decodedPixels(drawnAt: size) }
            // The key stays the image's own as long as there is the image.
            withExtendedLifetime(self) { run.finish(result) { _, call in call() } }
        }
    }
}

extension Bitmap {
    /// The bitmap, in sRGB if its light may be brighter than that of a screen.
    package func knownToScreens() throws(CodecError) -> Bitmap { isHDR ? try inSRGB() : self }

    /// The bitmap in sRGB, with its depth.
    package func deepInSRGB() throws(CodecError) -> Bitmap { isDeep ? try inSRGB() : self }
}

extension PixelSize {
    /// This size, reduced as far as it still covers `size`.
    func scaled(toCover size: PixelSize) -> PixelSize {
        // Integer arithmetic, because a rounding error would add a row or column.
        let scalesByWidth = size.width * height >= size.height * width
        let (wanted, present) = scalesByWidth ? (size.width, width) : (size.height, height)
        guard wanted < present else { return self }
        func scaled(_ side: Int) -> Int { (side * wanted + present - 1) / present }
        return PixelSize(width: scaled(width), height: scaled(height))
    }
}
