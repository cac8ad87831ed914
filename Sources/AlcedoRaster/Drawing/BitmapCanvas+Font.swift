public import AlcedoPixels
import CCairo

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

    /// Calls `body` with a context that has the font, of a bitmap that nobody sees.
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
