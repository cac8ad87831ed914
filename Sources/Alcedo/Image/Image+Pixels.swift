import AlcedoCodecs
import AlcedoRaster
public import Foundation

// The way in and out for pixels of other libraries.

extension Image {
    /// Copies somebody else's pixels.
    ///
    /// - Parameters:
    ///   - pixels: the bytes, of which the last row need not reach to `bytesPerRow`.
    ///   - size: width and height in pixels.
    ///   - layout: the order of the bytes, and how alpha and colour relate.
    ///   - bytesPerRow: from the start of a row to the start of the next; nil for `width * 4`.
    ///   - scale: pixels per point.
    /// - Throws: ``CodecError`` if the size is none, the bytes are too few, or there is no memory.
    public convenience init(
        pixels: RawSpan,
        size: PixelSize,
        layout: PixelLayout,
        bytesPerRow: Int? = nil,
        scale: CGFloat = 1
    ) throws(CodecError) {
        let bitmap = try Bitmap.copy(of: pixels, size: size, layout: layout, bytesPerRow: bytesPerRow)
        self.init(bitmap: bitmap, scale: scale)
    }

    /// Copies a cairo image surface of the format `ARGB32` or `RGB24`.
    ///
    /// - Parameters:
    ///   - surface: a `cairo_surface_t`; it is flushed first.
    ///   - scale: pixels per point.
    /// - Throws: ``CodecError`` if it is no such surface, or there is no memory.
    public convenience init(cairoSurface surface: OpaquePointer, scale: CGFloat = 1) throws(CodecError) {
        self.init(bitmap: try Bitmap.copy(ofCairoSurface: surface), scale: scale)
    }

    /// Calls `body` with the upright pixels of the first frame: premultiplied BGRA in rows of `width * 4` bytes.
    ///
    /// They are decoded now unless they have been before. The span is valid only inside `body`.
    ///
    /// - Parameter body: what to do with them.
    /// - Returns: what `body` returns; nil if the image is damaged.
    /// - Throws: what `body` throws.
    public func withPixels<Result, Failure: Error>(
        _ body: (RawSpan, PixelSize) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bitmap = try? bitmap() else { return nil }
        return try bitmap.withBytes { (bytes) throws(Failure) in try body(bytes, bitmap.size) }
    }

    /// The upright pixels of the first frame in the layout that another library wants, in rows of `width * 4` bytes.
    ///
    /// - Parameter layout: the order of the bytes, and how alpha and colour relate.
    /// - Returns: the bytes.
    /// - Throws: ``CodecError`` if the image is damaged.
    public func pixels(in layout: PixelLayout) throws(CodecError) -> [UInt8] {
        try bitmap().bytes(in: layout)
    }
}
