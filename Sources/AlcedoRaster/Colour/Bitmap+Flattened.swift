public import AlcedoPixels

extension Bitmap {
    /// The picture on a ground of one colour, of which alpha counts as 1; `self` if the bitmap is opaque
    /// already.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public consuming func flattened(onto background: RasterColor) throws(CodecError) -> Bitmap {
        var opaque = background
        opaque.alpha = 1
        return try composited(over: opaque)
    }

    /// The picture on a ground of one colour, which may let something through itself.
    consuming func composited(over background: RasterColor) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be flattened")
        if alpha == .opaque { return self }
        return try mapped(alpha: background.isOpaque ? .opaque : .premultiplied, Ground(background))
    }
}
