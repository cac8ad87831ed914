public import AlcedoPixels
import CCairo

/// Composes a bitmap, such as a contact sheet, of other bitmaps, rectangles and lines of text.
///
/// Coordinates are in pixels from the upper left corner. Drawing is clipped to the canvas. Every
/// method throws ``CodecError/limitExceeded(_:value:limit:)`` if memory runs out, and requires finite numbers.
public struct BitmapCanvas: ~Copyable {
    private var pixels: PixelBuilder

    /// Creates a canvas filled with `background`; neither side may exceed 32,767 pixels.
    public init(size: PixelSize, background: RasterColor) throws(CodecError) {
        try CairoSurface.check(size)
        pixels = try PixelBuilder(size: size, alpha: background.isOpaque ? .opaque : .premultiplied)
        let pixel = background.pixel
        pixels.withUnsafeMutableBytes { output in
            output.bindMemory(to: SIMD4<UInt8>.self).update(repeating: pixel)
        }
    }

    /// Draws `bitmap` over the canvas, scaled to fill `rectangle`; draws nothing if that is empty.
    ///
    /// ``Bitmap/resized(to:)`` scales to the nearest whole number of pixels. If `rectangle` has
    /// fractional coordinates, cairo then moves or stretches the result by less than a pixel.
    ///
    /// - Precondition: The alpha of `bitmap` is not `straight`.
    public mutating func draw(_ bitmap: Bitmap, in rectangle: PixelRect) throws(CodecError) {
        precondition(rectangle.isFinite, "a rectangle must be finite")
        guard rectangle.width > 0, rectangle.height > 0 else { return }
        let longest = Double(CairoSurface.longestSide)
        guard rectangle.width <= longest, rectangle.height <= longest else {
            throw CairoSurface.error(PixelSize(width: .max, height: .max))
        }
        let size = PixelSize(
            width: max(1, Int(rectangle.width.rounded())),
            height: max(1, Int(rectangle.height.rounded()))
        )
        let scaled = try bitmap.resized(to: size).standard()
        // Safe because cairo only reads from a source.
        let source = try CairoSurface(
            UnsafeMutableRawPointer(mutating: scaled.unsafeBaseAddress),
            format: CAIRO_FORMAT_ARGB32,
            size: size,
            bytesPerRow: scaled.bytesPerRow
        )
        try paint { context in
            cairo_translate(context.handle, rectangle.x, rectangle.y)
            cairo_scale(
                context.handle,
                rectangle.width / Double(size.width),
                rectangle.height / Double(size.height)
            )
            context.setSource(source)
            cairo_pattern_set_filter(cairo_get_source(context.handle), CAIRO_FILTER_GOOD)
            cairo_pattern_set_extend(cairo_get_source(context.handle), CAIRO_EXTEND_PAD)
            cairo_rectangle(context.handle, 0, 0, Double(size.width), Double(size.height))
            cairo_fill(context.handle)
        }
        withExtendedLifetime(scaled) {}
    }

    /// Fills `rectangle`, with corners rounded by up to `cornerRadius`; draws nothing if it is empty.
    public mutating func fill(
        _ rectangle: PixelRect,
        color: RasterColor,
        cornerRadius: Double = 0
    ) throws(CodecError) {
        precondition(rectangle.isFinite, "a rectangle must be finite")
        guard rectangle.width > 0, rectangle.height > 0 else { return }
        let radii = CornerRadii(cornerRadius).clamped(width: rectangle.width, height: rectangle.height)
        try paint { context in
            context.addRectangle(rectangle, radii: radii)
            context.setSource(color)
            cairo_fill(context.handle)
        }
    }

    /// Draws one line in the system's sans-serif font; its baseline starts at (`x`, `y`).
    ///
    /// `size` is the font's in pixels, over 0. Does not support kerning, right-to-left text or complex scripts. Text ends at
    /// a NUL character.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if memory runs out.
    public mutating func text(
        _ string: String,
        x: Double,
        y: Double,
        size: Double,
        color: RasterColor
    ) throws(CodecError) {
        precondition(
            x.isFinite && y.isFinite && size.isFinite && size > 0,
            "coordinates and size must be finite, and the size positive")
        try paint { context in
            let handle = context.handle
            cairo_select_font_face(handle, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
            cairo_set_font_size(handle, size)
            context.setSource(color)
            cairo_move_to(handle, x, y)
            cairo_show_text(handle, string)
        }
    }

    /// Returns the pixels without a copy.
    public consuming func finish() -> Bitmap { pixels.freeze() }

    /// Calls `body` with a context for the whole canvas.
    private mutating func paint(_ body: (borrowing CairoContext) -> Void) throws(CodecError) {
        let size = pixels.size
        let bytesPerRow = pixels.bytesPerRow
        try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
            guard let base = output.baseAddress else { return }
            let surface = try CairoSurface(
                base,
                format: CAIRO_FORMAT_ARGB32,
                size: size,
                bytesPerRow: bytesPerRow
            )
            let context = try CairoContext(surface, size: size)
            body(context)
            try context.finish()
        }
    }
}
