import AlcedoCodecs
import AlcedoRaster
public import Foundation

// Exchange of pixels with other libraries.

extension Image {
    /// Copies pixels from another library.
    ///
    /// - Parameters:
    ///   - pixels: the bytes; the last row may end before `bytesPerRow`.
    ///   - size: width and height in pixels.
    ///   - layout: the order of the channels and the kind of alpha.
    ///   - bytesPerRow: the stride in bytes; nil for `width * 4`.
    ///   - scale: pixels per point.
    /// - Throws: ``CodecError`` if the size is invalid, `pixels` is too short or memory is insufficient.
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
    /// - Throws: ``CodecError`` if the surface has another type or format, or memory is insufficient.
    public convenience init(cairoSurface surface: OpaquePointer, scale: CGFloat = 1) throws(CodecError) {
        self.init(bitmap: try Bitmap.copy(ofCairoSurface: surface), scale: scale)
    }

    /// Calls `body` with the upright pixels of the first frame: premultiplied BGRA in rows of `width * 4` bytes.
    ///
    /// Decodes them if necessary. The span is valid only inside `body`.
    ///
    /// - Parameter body: receives the pixels and their size.
    /// - Returns: the result of `body`; nil if the image is damaged.
    /// - Throws: the error of `body`.
    public func withPixels<Result, Failure: Error>(
        _ body: (RawSpan, PixelSize) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bitmap = try? bitmap() else { return nil }
        return try bitmap.withBytes { (bytes) throws(Failure) in try body(bytes, bitmap.size) }
    }

    /// The upright pixels of the first frame, converted to `layout`, in rows of `width * 4` bytes.
    ///
    /// - Parameter layout: the order of the channels and the kind of alpha.
    /// - Returns: the bytes.
    /// - Throws: ``CodecError`` if the image is damaged.
    public func pixels(in layout: PixelLayout) throws(CodecError) -> [UInt8] {
        try bitmap().bytes(in: layout)
    }
}
