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
        let newAlpha: Alpha = isOpaque ? .opaque : .premultiplied
        let size = composite.size
        if composite.isDeep, let backdrop = background.map({ composite.deepColor($0) }) ?? .zero {
            let (samples, count) = (DeepPixel.samples(backdrop), size.area)
            return try (consume composite).rewritingDeep(alpha: newAlpha) {
                (source, target) throws(CodecError) in
                if UnsafePointer(target) != source { target.update(from: source, count: count) }
                try CornerPixels<DeepMixer>(base: target, size: size, backdrop: samples).cut(radii)
            }
        }
        let backdrop = background?.pixel ?? .zero
        return try (consume composite).editing(alpha: newAlpha) { (output) throws(CodecError) in
            guard let base = output.bindMemory(to: SIMD4<UInt8>.self).baseAddress else { return }
            try CornerPixels<ByteMixer>(base: base, size: size, backdrop: backdrop).cut(radii)
        }
    }
}

/// Mixes pixels by coverage.
private protocol CornerMixer {
    associatedtype Pixel: BitwiseCopyable

    /// `pixel` by `coverage` of 255, and `backdrop` by the remainder.
    static func mixed(_ pixel: Pixel, _ coverage: UInt8, with backdrop: Pixel) -> Pixel
}

private enum ByteMixer: CornerMixer {
    @inline(__always)
    static func mixed(_ pixel: SIMD4<UInt8>, _ coverage: UInt8, with backdrop: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let wide = SIMD8(lowHalf: SIMD4<UInt16>(truncatingIfNeeded: pixel), highHalf: .zero)
        let wideBackdrop = SIMD8(lowHalf: SIMD4<UInt16>(truncatingIfNeeded: backdrop), highHalf: .zero)
        let mixed = dividedBy255(wide &* UInt16(coverage) &+ wideBackdrop &* UInt16(255 - coverage))
        return SIMD4(truncatingIfNeeded: mixed.lowHalf)
    }
}

private enum DeepMixer: CornerMixer {
    @inline(__always)
    static func mixed(
        _ pixel: SIMD4<UInt16>, _ coverage: UInt8, with backdrop: SIMD4<UInt16>
    ) -> SIMD4<UInt16> {
        func channel(_ level: UInt16, _ other: UInt16) -> UInt16 {
            UInt16((UInt32(level) * UInt32(coverage) + UInt32(other) * UInt32(255 - coverage) + 127) / 255)
        }
        return SIMD4(
            channel(pixel.x, backdrop.x), channel(pixel.y, backdrop.y), channel(pixel.z, backdrop.z),
            channel(pixel.w, backdrop.w))
    }
}

/// The pixels to clip, and the colour outside of the arcs.
private struct CornerPixels<Mixer: CornerMixer> {
    var base: UnsafeMutablePointer<Mixer.Pixel>
    var size: PixelSize
    var backdrop: Mixer.Pixel

    /// Cuts the corners; draws a mask for each radius once.
    func cut(_ radii: CornerRadii) throws(CodecError) {
        var done: [Double] = []
        for radius in [radii.topLeft, radii.topRight, radii.bottomLeft, radii.bottomRight]
        where radius > 0 && !done.contains(radius) {
            let side = Int(radius.rounded(.up))
            try CairoSurface.check(PixelSize(width: side, height: side))
            let mask = try CornerMask(radius: radius)
            if radii.topLeft == radius { cut(mask, isRight: false, isBottom: false) }
            if radii.topRight == radius { cut(mask, isRight: true, isBottom: false) }
            if radii.bottomLeft == radius { cut(mask, isRight: false, isBottom: true) }
            if radii.bottomRight == radius { cut(mask, isRight: true, isBottom: true) }
            done.append(radius)
        }
    }

    /// Mixes the pixels of one corner with the backdrop by the coverage in `mask`.
    private func cut(_ mask: borrowing CornerMask, isRight: Bool, isBottom: Bool) {
        let step = isRight ? -1 : 1
        for y in 0..<mask.side {
            var pixel = base + (isBottom ? size.height - 1 - y : y) * size.width
            if isRight { pixel += size.width - 1 }
            for x in 0..<mask.side {
                let coverage = mask[x, y]
                if coverage == 0 {
                    pixel.pointee = backdrop
                } else if coverage < 255 {
                    pixel.pointee = Mixer.mixed(pixel.pointee, coverage, with: backdrop)
                }
                pixel += step
            }
        }
    }
}

/// Coverage, from 0 to 255, of the pixels of a rounded upper left corner.
///
/// The other corners are its mirror images.
private struct CornerMask: ~Copyable {
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
        // Of a fractional radius the last column and row of the mask are partly beyond the arc.
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
