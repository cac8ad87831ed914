public import AlcedoPixels

extension Bitmap {
    /// Resamples to `target` pixels with a three-lobed Lanczos filter.
    ///
    /// A reduction widens the filter, which suppresses aliasing. Each side is scaled independently. If both sides
    /// shrink by a factor of four to less than nine, they are halved first and the filter compensates. Otherwise, if a
    /// side shrinks by six or more, blocks of pixels are averaged first, and the filter reduces by at least three. Both
    /// are much faster than the filter alone, and the difference is hardly visible.
    ///
    /// A deep bitmap stays deep; the filter runs alone, in floating point.
    ///
    /// Works on encoded, premultiplied values as they are stored, as UIKit, Pillow and browsers do, not
    /// on linear light. A flat area keeps its exact colour, an opaque bitmap stays opaque, and no colour
    /// exceeds its alpha. The edges of a cut-out keep its colour. Beside the result, the working memory is a few
    /// rows, and for the weights about a few dozen columns. Returns `self` if the size does not change.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if `target` is empty, and
    ///   ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public func resized(to target: PixelSize) throws(CodecError) -> Bitmap {
        try resized(to: target, from: (Double(width), Double(height)))
    }

    /// Resamples a bitmap whose last column and row are only partly covered.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - extent: the covered width and height, each less than 1 below the bitmap's.
    /// - Returns: `target` pixels; `self` if the size does not change.
    /// - Throws: what ``resized(to:)`` does.
    package func resized(
        to target: PixelSize,
        from extent: (width: Double, height: Double)
    ) throws(CodecError) -> Bitmap {
        let part = PixelRect(x: 0, y: 0, width: extent.width, height: extent.height)
        return try resized(to: target, showing: part, of: SIMD2(extent.width, extent.height))
    }

    /// Resamples a part of the bitmap, whose edges may be fractional.
    ///
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - part: a rectangle within the bitmap; it may exceed the bitmap by less than a pixel of the result, which repeats its
    ///     edges.
    /// - Returns: `target` pixels; `self` if `part` is the whole bitmap and `target` its size.
    /// - Throws: what ``resized(to:)`` does.
    package func resized(to target: PixelSize, showing part: PixelRect) throws(CodecError) -> Bitmap {
        try resized(to: target, showing: part, of: SIMD2(Double(width), Double(height)))
    }

    private func resized(
        to target: PixelSize,
        showing part: PixelRect,
        of extent: SIMD2<Double>
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be resized")
        if target == size, part.width == extent.x, part.height == extent.y { return self }
        if let deep {
            return try DeepResampler(self, to: target, showing: part, of: extent).resized(deep)
        }
        var result = try PixelBuilder(size: target, alpha: alpha)
        try resample(into: &result, showing: part, of: extent)
        return result.freeze()
    }
}
