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
            let ground = Ground(background)
            let source = unsafeBaseAddress
            let count = byteCount
            var offset = 0
            while offset &+ 16 <= count {
                let pixels = source.load(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                target.storeBytes(of: ground.under(pixels), toByteOffset: offset, as: SIMD4<UInt32>.self)
                offset &+= 16
            }
            while offset < count {
                let pixel = SIMD4(repeating: source.load(fromByteOffset: offset, as: UInt32.self))
                target.storeBytes(of: ground.under(pixel)[0], toByteOffset: offset, as: UInt32.self)
                offset &+= 4
            }
        }
        return result.freeze()
    }
}
