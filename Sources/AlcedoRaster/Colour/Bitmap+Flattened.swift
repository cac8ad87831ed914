public import AlcedoPixels

extension Bitmap {
    /// The picture on a ground of one colour, of which alpha counts as 1; `self` if the bitmap is opaque
    /// already.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it.
    public func flattened(onto background: RasterColor) throws(CodecError) -> Bitmap {
        var opaque = background
        opaque.alpha = 1
        return try composited(over: opaque)
    }

    /// The picture on a ground of one colour, which may let something through itself.
    func composited(over background: RasterColor) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be flattened")
        if alpha == .opaque { return self }
        var result = try PixelBuilder(size: size, alpha: background.isOpaque ? .opaque : .premultiplied)
        result.withUnsafeMutableBytes { output in
            guard let target = output.baseAddress else { return }
            let ground = SIMD4<UInt16>(truncatingIfNeeded: background.pixel)
            let grounds = SIMD8(lowHalf: ground, highHalf: ground)
            let source = unsafeBaseAddress
            let count = byteCount
            var offset = 0
            while offset &+ 8 <= count {
                let pixels = source.load(fromByteOffset: offset, as: SIMD8<UInt8>.self)
                let blended = AlcedoRaster.composited(pixels, over: grounds)
                target.storeBytes(of: blended, toByteOffset: offset, as: SIMD8<UInt8>.self)
                offset &+= 8
            }
            if offset < count {
                let pixel = source.load(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                let blended = AlcedoRaster.composited(SIMD8(lowHalf: pixel, highHalf: .zero), over: grounds)
                target.storeBytes(of: blended.lowHalf, toByteOffset: offset, as: SIMD4<UInt8>.self)
            }
        }
        return result.freeze()
    }
}
