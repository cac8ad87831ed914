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

extension BitmapCanvas {
    /// Lines and curves, to be filled or stroked.
    ///
    ///     var triangle = BitmapCanvas.Path()
    ///     triangle.move(x: 10, y: 10)
    ///     triangle.line(x: 50, y: 10)
    ///     triangle.line(x: 30, y: 40)
    ///     triangle.close()
    public struct Path: Sendable, Hashable {
        private enum Step: Hashable {
            case move(x: Double, y: Double)
            case line(x: Double, y: Double)
            case curve(x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double)
            case close
        }

        private var steps: [Step] = []

        public init() {}

        /// Starts a new line at a point.
        public mutating func move(x: Double, y: Double) { append(.move(x: x, y: y), x, y) }

        /// Goes straight to a point; the first point of a path is its start.
        public mutating func line(x: Double, y: Double) { append(.line(x: x, y: y), x, y) }

        /// Goes to (`x`, `y`) in a cubic Bézier curve with these control points.
        public mutating func curve(x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double) {
            append(.curve(x1: x1, y1: y1, x2: x2, y2: y2, x: x, y: y), x1, y1, x2, y2, x, y)
        }

        /// Goes straight back to where the line started.
        public mutating func close() { steps.append(.close) }

        private mutating func append(_ step: Step, _ coordinates: Double...) {
            precondition(coordinates.allSatisfy(\.isFinite), "coordinates must be finite")
            steps.append(step)
        }

        func add(to context: borrowing CairoContext) {
            for step in steps {
                switch step {
                case .move(let x, let y): cairo_move_to(context.handle, x, y)
                case .line(let x, let y): cairo_line_to(context.handle, x, y)
                case .curve(let x1, let y1, let x2, let y2, let x, let y):
                    cairo_curve_to(context.handle, x1, y1, x2, y2, x, y)
                case .close: cairo_close_path(context.handle)
                }
            }
        }
    }
}

extension BitmapCanvas {
    /// A font of the system's, and its size.
    public struct Font: Sendable, Hashable {
        /// The family, such as `serif`; the system takes another one if it has none of that name.
        public var family: String

        /// In pixels; finite and over 0.
        public var size: Double

        public var isBold: Bool
        public var isItalic: Bool

        public init(
            _ family: String = "sans-serif", size: Double, isBold: Bool = false, isItalic: Bool = false
        ) {
            (self.family, self.size, self.isBold, self.isItalic) = (family, size, isBold, isItalic)
        }
    }
}

extension BitmapCanvas.Font {
    /// The space that a line of text takes, from the start of its baseline: `y` is negative, and the height is that of all lines.
    ///
    /// The width is the distance to where the next text would start.
    public func bounds(of text: String) throws(CodecError) -> PixelRect {
        try measure { context in bounds(of: text, context) }
    }

    /// Text in lines that are at most `width` pixels wide, broken at spaces and at ends of lines.
    ///
    /// A word that is wider has a line of its own.
    public func lines(of text: String, width: Double) throws(CodecError) -> [String] {
        try measure { context in
            var lines: [String] = []
            // Not by "\n", which is no part of the character "\r\n".
            for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                var line = ""
                for word in paragraph.split(separator: " ") {
                    let longer = line.isEmpty ? String(word) : line + " " + word
                    if line.isEmpty || bounds(of: longer, context).width <= width {
                        line = longer
                    } else {
                        lines.append(line)
                        line = String(word)
                    }
                }
                lines.append(line)
            }
            return lines
        }
    }

    func select(in context: borrowing CairoContext) {
        precondition(size.isFinite && size > 0, "a font's size must be finite and positive")
        cairo_select_font_face(
            context.handle, family, isItalic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
            isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
        cairo_set_font_size(context.handle, size)
    }

    private func bounds(of text: String, _ context: borrowing CairoContext) -> PixelRect {
        var (line, extents) = (cairo_font_extents_t(), cairo_text_extents_t())
        cairo_font_extents(context.handle, &line)
        cairo_text_extents(context.handle, text, &extents)
        return PixelRect(x: 0, y: -line.ascent, width: extents.x_advance, height: line.height)
    }

    /// Calls `body` with a context that has the font, of a bitmap that is not shown.
    private func measure<Result>(_ body: (borrowing CairoContext) -> Result) throws(CodecError) -> Result {
        let size = PixelSize(width: 1, height: 1)
        var pixels = try PixelBuilder(size: size, alpha: .premultiplied)
        return try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
            guard let base = output.baseAddress else { throw CairoSurface.error(size) }
            let surface = try CairoSurface(base, format: CAIRO_FORMAT_ARGB32, size: size, bytesPerRow: 4)
            let context = try CairoContext(surface, size: size)
            select(in: context)
            let result = body(context)
            try context.finish()
            return result
        }
    }
}
