import AlcedoPixels
import CCairo

/// A cairo image surface over memory that it does not own.
struct CairoSurface: ~Copyable {
    /// The longest side that cairo supports, in pixels.
    static let longestSide = 32_767

    fileprivate let handle: OpaquePointer

    /// Wraps `memory`, which must outlive the surface; cairo only reads a surface that is used as a source.
    init(
        _ memory: UnsafeMutableRawPointer,
        format: cairo_format_t,
        size: PixelSize,
        bytesPerRow: Int
    ) throws(CodecError) {
        try Self.check(size)
        let handle = cairo_image_surface_create_for_data(
            memory.assumingMemoryBound(to: UInt8.self),
            format,
            Int32(size.width),
            Int32(size.height),
            Int32(bytesPerRow)
        )
        guard let handle, cairo_surface_status(handle) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(handle)
            throw Self.error(size)
        }
        self.handle = handle
    }

    deinit { cairo_surface_destroy(handle) }

    /// Throws if a side is longer than ``longestSide``.
    static func check(_ size: PixelSize) throws(CodecError) {
        guard size.width <= longestSide, size.height <= longestSide else { throw error(size) }
    }

    /// The error for a surface of `size` that cairo cannot draw on.
    static func error(_ size: PixelSize) -> CodecError {
        .limitExceeded(.pixels, value: size.area, limit: longestSide * longestSide)
    }
}

/// A cairo drawing context; it retains its surface.
struct CairoContext: ~Copyable {
    let handle: OpaquePointer

    private let size: PixelSize

    init(_ surface: borrowing CairoSurface, size: PixelSize) throws(CodecError) {
        self.size = size
        handle = cairo_create(surface.handle)
        // The default tolerance is 0.1 pixels, which is 25 levels along an edge.
        cairo_set_tolerance(handle, 0.01)
        try finish()
    }

    deinit { cairo_destroy(handle) }

    /// Flushes, and throws if a drawing operation has failed; the only possible cause is a lack of memory.
    func finish() throws(CodecError) {
        cairo_surface_flush(cairo_get_target(handle))
        guard cairo_status(handle) == CAIRO_STATUS_SUCCESS else { throw CairoSurface.error(size) }
    }

    /// Sets the source to `surface`, with its upper left corner at the origin.
    func setSource(_ surface: borrowing CairoSurface) {
        cairo_set_source_surface(handle, surface.handle, 0, 0)
    }

    func setSource(_ color: RasterColor) {
        cairo_set_source_rgba(handle, color.red, color.green, color.blue, color.alpha)
    }

    /// Adds a rectangle with rounded corners to the path; `radii` must fit.
    func addRectangle(_ rectangle: PixelRect, radii: CornerRadii) {
        let left = rectangle.x
        let top = rectangle.y
        let right = left + rectangle.width
        let bottom = top + rectangle.height
        cairo_new_sub_path(handle)
        addArc(right - radii.topRight, top + radii.topRight, radii.topRight, quarter: 3)
        addArc(right - radii.bottomRight, bottom - radii.bottomRight, radii.bottomRight, quarter: 0)
        addArc(left + radii.bottomLeft, bottom - radii.bottomLeft, radii.bottomLeft, quarter: 1)
        addArc(left + radii.topLeft, top + radii.topLeft, radii.topLeft, quarter: 2)
        cairo_close_path(handle)
    }

    private func addArc(_ x: Double, _ y: Double, _ radius: Double, quarter: Double) {
        cairo_arc(handle, x, y, radius, quarter * .pi / 2, (quarter + 1) * .pi / 2)
    }
}
