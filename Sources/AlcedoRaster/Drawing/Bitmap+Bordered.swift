public import AlcedoPixels
import CCairo

extension Bitmap {
    /// Draws an antialiased border along the edges; pixels outside of rounded corners stay.
    ///
    /// The centre of the line is a rectangle inset by half of `lineWidth`, with corners of `radii`. `lineWidth`, in pixels,
    /// is clamped to half of the shorter side. Returns `self` if it is 0, negative or NaN.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Returns: a bitmap of the same size, opaque if this one is.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is over 32,767.
    public consuming func bordered(
        _ color: RasterColor, lineWidth: Double, radii: CornerRadii = CornerRadii()
    )
        throws(CodecError) -> Bitmap
    {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can have a border")
        guard lineWidth > 0 else { return self }
        let outer = PixelRect(x: 0, y: 0, width: Double(width), height: Double(height))
        let line = min(lineWidth, min(outer.width, outer.height) / 2)
        let inner = PixelRect(
            x: line, y: line, width: outer.width - 2 * line, height: outer.height - 2 * line)
        let middle = radii.clamped(width: outer.width - line, height: outer.height - line)
        func draw(_ context: borrowing CairoContext, _ color: RasterColor) throws(CodecError) {
            cairo_new_path(context.handle)
            context.addRectangle(outer, radii: middle.grown(by: line / 2))
            if inner.width > 0, inner.height > 0 {
                context.addRectangle(inner, radii: middle.grown(by: -line / 2))
            }
            cairo_set_fill_rule(context.handle, CAIRO_FILL_RULE_EVEN_ODD)
            context.setSource(color)
            cairo_fill(context.handle)
            try context.finish()
        }
        let (size, bytesPerRow) = (size, bytesPerRow)
        if let color = deepColor(color) {
            try CairoSurface.check(size)
            let mask = try CoverageMask(size) { (context) throws(CodecError) in
                try draw(context, RasterColor(red: 0, green: 0, blue: 0))
            }
            return try rewritingDeep(alpha: alpha) { source, target in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let (index, coverage) = (y * size.width + x, mask[x, y])
                        let drawn = color * (Float(coverage) / 255)
                        let pixel = DeepPixel.unit(source[index])
                        target[index] =
                            coverage == 0 ? source[index] : DeepPixel.samples(drawn + pixel * (1 - drawn.w))
                    }
                }
            }
        }
        return try editing(alpha: alpha) { (output) throws(CodecError) in
            guard let pixels = output.baseAddress else { return }
            let surface = try CairoSurface(
                pixels, format: CAIRO_FORMAT_ARGB32, size: size, bytesPerRow: bytesPerRow)
            try draw(CairoContext(surface, size: size), color)
        }
    }
}

/// How much of each pixel is covered, from 0 to 255.
private struct CoverageMask: ~Copyable {
    private let bytes: UnsafeMutablePointer<UInt8>
    private let bytesPerRow: Int

    /// Has `draw` cover pixels; `size` must be one that cairo supports.
    init(_ size: PixelSize, _ draw: (borrowing CairoContext) throws(CodecError) -> Void) throws(CodecError) {
        bytesPerRow = Int(cairo_format_stride_for_width(CAIRO_FORMAT_A8, Int32(size.width)))
        bytes = .allocate(capacity: bytesPerRow * size.height)
        bytes.initialize(repeating: 0, count: bytesPerRow * size.height)
        try cover(size, draw)
    }

    private func cover(
        _ size: PixelSize, _ draw: (borrowing CairoContext) throws(CodecError) -> Void
    ) throws(CodecError) {
        let surface = try CairoSurface(
            UnsafeMutableRawPointer(bytes), format: CAIRO_FORMAT_A8, size: size, bytesPerRow: bytesPerRow)
        try draw(CairoContext(surface, size: size))
    }

    deinit { bytes.deallocate() }

    subscript(x: Int, y: Int) -> UInt8 { bytes[y &* bytesPerRow &+ x] }
}

extension CornerRadii {
    /// The radii of a parallel line `distance` pixels further out; square corners stay square.
    fileprivate func grown(by distance: Double) -> CornerRadii {
        func grow(_ radius: Double) -> Double { radius > 0 ? max(0, radius + distance) : 0 }
        return CornerRadii(
            topLeft: grow(topLeft),
            topRight: grow(topRight),
            bottomLeft: grow(bottomLeft),
            bottomRight: grow(bottomRight)
        )
    }
}
