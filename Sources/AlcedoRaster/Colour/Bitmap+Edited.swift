public import AlcedoPixels

extension Bitmap {
    /// Returns a copy whose pixels `body` changes in place.
    ///
    /// A pixel is its blue, green, red and alpha byte, in this order; colours are premultiplied and must not exceed
    /// alpha. The top row comes first, and each row has ``width`` pixels. The span is valid only inside `body`, which
    /// writes the kind of alpha that is given, by default this bitmap's.
    ///
    /// - Precondition: neither alpha is ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func edited(
        alpha newAlpha: Alpha? = nil,
        _ body: (inout MutableSpan<SIMD4<UInt8>>) -> Void
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight && newAlpha != .straight, "straight alpha is for encoders only")
        return try editing(alpha: newAlpha ?? alpha) { output in
            var pixels = output.bindMemory(to: SIMD4<UInt8>.self).mutableSpan
            body(&pixels)
        }
    }
}
