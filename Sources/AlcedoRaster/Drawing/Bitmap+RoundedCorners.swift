public import AlcedoPixels
import CCairo

extension Bitmap {
    /// Clips the corners to circular arcs, antialiased.
    ///
    /// With a `background`, the bitmap is composited over that colour, which shows in the corners and through
    /// transparent pixels; the result is opaque if the background is. Without one, the corners become transparent.
    /// Only pixels near the corners are computed; the others are copied.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it, and
    ///   ``CodecError/limitExceeded(_:value:limit:)`` if a radius is over 32,767.
    public consuming func roundedCorners(
        radii: CornerRadii,
        background: RasterColor? = nil
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can have round corners")
        let radii = radii.clamped(width: Double(width), height: Double(height))
        let composite = if let background { try composited(over: background) } else { self }
        if radii == CornerRadii() { return composite }

        let isOpaque = composite.alpha == .opaque && background?.isOpaque == true
        let backdrop = background?.pixel ?? .zero
        let size = composite.size
        return try (consume composite).editing(alpha: isOpaque ? .opaque : .premultiplied) {
            (output) throws(CodecError) in
            guard let base = output.baseAddress else { return }
            let pixels = CornerPixels(base: base, size: size, backdrop: backdrop)
            var done: [Double] = []
            for radius in [radii.topLeft, radii.topRight, radii.bottomLeft, radii.bottomRight]
            where radius > 0 && !done.contains(radius) {
                let side = Int(radius.rounded(.up))
                try CairoSurface.check(PixelSize(width: side, height: side))
                let mask = try CornerMask(radius: radius)
                if radii.topLeft == radius { pixels.cut(mask, isRight: false, isBottom: false) }
                if radii.topRight == radius { pixels.cut(mask, isRight: true, isBottom: false) }
                if radii.bottomLeft == radius { pixels.cut(mask, isRight: false, isBottom: true) }
                if radii.bottomRight == radius { pixels.cut(mask, isRight: true, isBottom: true) }
                done.append(radius)
            }
        }
    }
}

/// The pixels to clip, and the colour outside of the arcs.
private struct CornerPixels {
    var base: UnsafeMutableRawPointer
    var size: PixelSize
    var backdrop: SIMD4<UInt8>

    /// Mixes the pixels of one corner with the backdrop by the coverage in `mask`.
    func cut(_ mask: borrowing CornerMask, isRight: Bool, isBottom: Bool) {
        let step = isRight ? -4 : 4
        let wideBackdrop = SIMD8(lowHalf: SIMD4<UInt16>(truncatingIfNeeded: backdrop), highHalf: .zero)
        for y in 0..<mask.side {
            var pixel = base + (isBottom ? size.height - 1 - y : y) * size.width * 4
            if isRight { pixel += size.width * 4 - 4 }
            for x in 0..<mask.side {
                let coverage = mask[x, y]
                if coverage == 0 {
                    pixel.storeBytes(of: backdrop, as: SIMD4<UInt8>.self)
                } else if coverage < 255 {
                    let wide = SIMD4<UInt16>(truncatingIfNeeded: pixel.load(as: SIMD4<UInt8>.self))
                    let kept = SIMD8(lowHalf: wide, highHalf: .zero) &* UInt16(coverage)
                    let mixed = dividedBy255(kept &+ wideBackdrop &* UInt16(255 - coverage))
                    pixel.storeBytes(of: SIMD4(truncatingIfNeeded: mixed.lowHalf), as: SIMD4<UInt8>.self)
                }
                pixel += step
            }
        }
    }
}

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
