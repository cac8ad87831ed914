public import AlcedoPixels

extension Bitmap {
    /// Composites the bitmap over a colour whose alpha is taken as 1; returns `self` if the bitmap is opaque.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func flattened(onto background: RasterColor) throws(CodecError) -> Bitmap {
        var opaque = background
        opaque.alpha = 1
        return try composited(over: opaque)
    }

    /// Composites the bitmap over a colour, which may be translucent.
    consuming func composited(over background: RasterColor) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be flattened")
        if alpha == .opaque { return self }
        return try mapped(alpha: background.isOpaque ? .opaque : .premultiplied, Backdrop(background))
    }
}
