public import AlcedoPixels
import CCairo

/// Draws a bitmap, such as a contact sheet or a watermark, of other bitmaps, rectangles, paths and text.
///
///     let badge = try BitmapCanvas.bitmap(size: PixelSize(width: 200, height: 80), background: white) { canvas in
///         try canvas.text("New", x: 20, y: 56, size: 40, color: red)
///     }
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

    /// Creates a canvas that shows `bitmap`, to draw over it: a watermark, a caption.
    ///
    /// Neither side may exceed 32,767 pixels. Deep pixels become 8 bits of sRGB.
    ///
    /// - Precondition: The alpha of `bitmap` is not `straight`.
    public init(over bitmap: Bitmap) throws(CodecError) {
        precondition(bitmap.alpha != .straight, "only premultiplied and opaque bitmaps can be drawn over")
        try CairoSurface.check(bitmap.size)
        let source = try bitmap.standard()
        pixels = try PixelBuilder(size: source.size, alpha: source.alpha)
        pixels.withUnsafeMutableBytes { output in
            output.copyMemory(
                from: UnsafeRawBufferPointer(start: source.unsafeBaseAddress, count: output.count))
        }
        withExtendedLifetime(source) {}
    }

    /// Draws a bitmap in one call, also at the top level of a program, where a canvas can't be consumed.
    ///
    /// - Throws: what `drawing` throws, and what ``init(size:background:)`` does.
    public static func bitmap(
        size: PixelSize, background: RasterColor, drawing: (inout BitmapCanvas) throws -> Void
    ) throws -> Bitmap {
        var canvas = try BitmapCanvas(size: size, background: background)
        try drawing(&canvas)
        return canvas.finish()
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

    /// Fills a path; where it crosses itself, by the nonzero rule.
    public mutating func fill(_ path: Path, color: RasterColor) throws(CodecError) {
        try paint { context in
            path.add(to: context)
            context.setSource(color)
            cairo_fill(context.handle)
        }
    }

    /// Draws along a path, `width` pixels wide, over 0, with round ends and corners.
    public mutating func stroke(_ path: Path, color: RasterColor, width: Double = 1) throws(CodecError) {
        precondition(width.isFinite && width > 0, "a line's width must be finite and positive")
        try paint { context in
            path.add(to: context)
            context.setSource(color)
            cairo_set_line_width(context.handle, width)
            cairo_set_line_cap(context.handle, CAIRO_LINE_CAP_ROUND)
            cairo_set_line_join(context.handle, CAIRO_LINE_JOIN_ROUND)
            cairo_stroke(context.handle)
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
        try text(string, x: x, y: y, font: Font(size: size), color: color)
    }

    /// Draws one line in a font, otherwise as ``text(_:x:y:size:color:)``.
    public mutating func text(
        _ string: String, x: Double, y: Double, font: Font, color: RasterColor
    ) throws(CodecError) {
        precondition(x.isFinite && y.isFinite, "coordinates must be finite")
        try paint { context in
            font.select(in: context)
            context.setSource(color)
            cairo_move_to(context.handle, x, y)
            cairo_show_text(context.handle, string)
        }
    }

    /// Draws text from the top of `rectangle`, in lines as ``Font/lines(of:width:)`` breaks them; those that don't fit are left
    /// out.
    public mutating func text(
        _ string: String, in rectangle: PixelRect, font: Font, color: RasterColor
    ) throws(CodecError) {
        precondition(rectangle.isFinite, "a rectangle must be finite")
        let line = try font.bounds(of: "")
        var top = rectangle.y
        for part in try font.lines(of: string, width: rectangle.width) {
            guard top + line.height <= rectangle.y + rectangle.height else { return }
            try text(part, x: rectangle.x, y: top - line.y, font: font, color: color)
            top += line.height
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
