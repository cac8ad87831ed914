import AlcedoPixels
import CCairo

/// Coverage, from 0 to 255, of the pixels of a rounded upper left corner.
///
/// The other corners are its mirror images.
struct CornerMask: ~Copyable {
    /// Width and height of the mask: the radius, rounded up.
    let side: Int

    private let coverage: UnsafeMutablePointer<UInt8>
    private let bytesPerRow: Int

    /// Draws the corner with cairo, antialiased; `radius` may be up to ``CairoSurface/longestSide``.
    init(radius: Double) throws(CodecError) {
        side = Int(radius.rounded(.up))
        bytesPerRow = Int(cairo_format_stride_for_width(CAIRO_FORMAT_A8, Int32(side)))
        coverage = .allocate(capacity: bytesPerRow * side)
        coverage.initialize(repeating: 0, count: bytesPerRow * side)
        try draw(radius: radius)
    }

    private func draw(radius: Double) throws(CodecError) {
        let size = PixelSize(width: side, height: side)
        let surface = try CairoSurface(
            UnsafeMutableRawPointer(coverage),
            format: CAIRO_FORMAT_A8,
            size: size,
            bytesPerRow: bytesPerRow
        )
        let context = try CairoContext(surface, size: size)
        let circle = PixelRect(x: 0, y: 0, width: 2 * radius, height: 2 * radius)
        let length = Double(side)
        context.addRectangle(circle, radii: CornerRadii(radius))
        cairo_rectangle(context.handle, radius, 0, length, length)
        cairo_rectangle(context.handle, 0, radius, length, length)
        context.setSource(RasterColor(red: 0, green: 0, blue: 0))
        cairo_fill(context.handle)
        try context.finish()
    }

    deinit { coverage.deallocate() }

    /// The coverage `x` pixels from the nearest vertical edge and `y` from the nearest horizontal one.
    subscript(x: Int, y: Int) -> UInt8 { coverage[y &* bytesPerRow &+ x] }
}
