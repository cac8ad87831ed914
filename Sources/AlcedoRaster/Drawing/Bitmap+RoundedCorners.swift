public import AlcedoPixels

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
