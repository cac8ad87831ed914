import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster

extension Bitmap {
    /// The pixels of a deep bitmap, changed in place by `body`, which ensures that alpha stays what it is.
    consuming func editingDeep(
        _ body: (UnsafeMutablePointer<SIMD4<UInt16>>) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        let count = size.area
        return try rewritingDeep(alpha: alpha) { (source, target) throws(CodecError) in
            if source != UnsafePointer(target) { target.update(from: source, count: count) }
            try body(target)
        }
    }

    /// The pixel of a background in this bitmap; transparent for nil, and nil if its space has no such colour.
    func deepFill(_ background: RGBColor?) -> SIMD4<UInt16>? {
        guard let background else { return .zero }
        return deepPixel(background.rasterColor)
    }

    /// The same bitmap with another one over it, in samples of 16 bits; itself in 8 bits if the colours of the other one
    /// can't be converted to its space.
    consuming func drawnDeep(under top: Bitmap, at origin: PixelOffset, opacity: Int) throws(CodecError)
        -> Bitmap
    {
        guard let mark = try top.matching(self) else {
            return try standard().drawn(under: top, at: origin, opacity: opacity)
        }
        let size = self.size
        let columns = max(0, origin.x)..<max(0, min(size.width, origin.x + top.width), origin.x)
        let rows = max(0, origin.y)..<max(0, min(size.height, origin.y + top.height), origin.y)
        let factor = UInt64(opacity)
        return try editingDeep { pixels in
            let source = mark.storage.bindMemory(to: SIMD4<UInt16>.self)
            for y in rows {
                for x in columns {
                    let over = SIMD4<UInt64>(
                        truncatingIfNeeded: source[(y - origin.y) * mark.width + x - origin.x])
                    let under = SIMD4<UInt64>(truncatingIfNeeded: pixels[y * size.width + x])
                    // In shares of 255 × 65,535 squared, rounded once.
                    let whole = UInt64(255 * 65535)
                    let kept = whole &- over.w &* factor
                    let sum = over &* factor &* 65535 &+ under &* kept
                    let samples = SIMD4<UInt16>(truncatingIfNeeded: (sum &+ whole / 2) / whole)
                    pixels[y * size.width + x] = pointwiseMin(samples, SIMD4(repeating: samples.w))
                }
            }
        }
    }
}
