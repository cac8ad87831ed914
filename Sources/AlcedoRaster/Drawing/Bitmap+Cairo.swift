public import AlcedoPixels
import CCairo

extension Bitmap {
    /// Copies a cairo image surface of the format `ARGB32` or `RGB24`.
    ///
    /// - Parameter surface: a `cairo_surface_t`; it is flushed first.
    /// - Returns: premultiplied pixels, or opaque ones for `RGB24`.
    /// - Throws: ``CodecError`` if the surface has another format or memory runs out.
    public static func copy(ofCairoSurface surface: OpaquePointer) throws(CodecError) -> Bitmap {
        cairo_surface_flush(surface)
        let format = cairo_image_surface_get_format(surface)
        let stride = Int(cairo_image_surface_get_stride(surface))
        let size = PixelSize(
            width: Int(cairo_image_surface_get_width(surface)),
            height: Int(cairo_image_surface_get_height(surface))
        )
        guard cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE, !size.isEmpty,
            format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24,
            let pixels = cairo_image_surface_get_data(surface)
        else { throw .unsupported(.png, reason: "the cairo surface is not an ARGB32 or RGB24 image") }
        let isOpaque = format == CAIRO_FORMAT_RGB24
        var builder = try PixelBuilder(size: size, alpha: isOpaque ? .opaque : .premultiplied)
        builder.withUnsafeMutableBytes { output in
            guard let target = output.baseAddress else { return }
            for y in 0..<size.height {
                (target + y * size.width * 4)
                    .copyMemory(from: pixels + y * stride, byteCount: size.width * 4)
            }
            guard isOpaque else { return }
            for offset in Swift.stride(from: 3, to: output.count, by: 4) { output[offset] = 255 }
        }
        return builder.freeze()
    }
}
