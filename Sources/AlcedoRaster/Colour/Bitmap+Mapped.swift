import AlcedoPixels

/// A function of single pixels, applied to four at a time.
protocol PixelMap {
    /// Maps each lane independently.
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32>
}

extension Bitmap {
    consuming func mapped(alpha: Alpha, _ map: some PixelMap) throws(CodecError) -> Bitmap {
        precondition(self.alpha != .straight, "only premultiplied and opaque bitmaps can be drawn on")
        let count = byteCount
        return try rewriting(alpha: alpha) { source, target in
            var offset = 0
            while offset &+ 16 <= count {
                let pixels = source.load(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                target.storeBytes(of: map(pixels), toByteOffset: offset, as: SIMD4<UInt32>.self)
                offset &+= 16
            }
            while offset < count {
                let pixel = SIMD4(repeating: source.load(fromByteOffset: offset, as: UInt32.self))
                target.storeBytes(of: map(pixel)[0], toByteOffset: offset, as: UInt32.self)
                offset &+= 4
            }
        }
    }
}
