public import AlcedoPixels

extension Bitmap {
    /// The picture with its corners cut off in circular arcs, antialiased.
    ///
    /// With a `background` the whole picture is put on a ground of that colour, which then shows at the
    /// corners and through what is transparent. Without one, the corners become transparent. The result is
    /// opaque if the background is. Only pixels near the corners are computed; the others are copied.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if there is no memory for it, or if a radius is
    ///   over 32,767.
    public func roundedCorners(
        radii: CornerRadii,
        background: RasterColor? = nil
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can have round corners")
        let radii = radii.clamped(width: Double(width), height: Double(height))
        var picture = self
        if let background { picture = try composited(over: background) }
        if radii == CornerRadii() { return picture }

        let isOpaque = picture.alpha == .opaque && background?.isOpaque == true
        var result = try PixelBuilder(size: size, alpha: isOpaque ? .opaque : .premultiplied)
        let ground = background?.pixel ?? .zero
        try result.withUnsafeMutableBytes { (output) throws(CodecError) in
            guard let pixels = output.baseAddress else { return }
            pixels.copyMemory(from: picture.unsafeBaseAddress, byteCount: byteCount)
            var done: [Double] = []
            for radius in [radii.topLeft, radii.topRight, radii.bottomLeft, radii.bottomRight]
            where radius > 0 && !done.contains(radius) {
                let side = Int(radius.rounded(.up))
                try CairoSurface.check(PixelSize(width: side, height: side))
                let mask = try CornerMask(radius: radius)
                if radii.topLeft == radius { cut(pixels, mask, isRight: false, isBottom: false, ground) }
                if radii.topRight == radius { cut(pixels, mask, isRight: true, isBottom: false, ground) }
                if radii.bottomLeft == radius { cut(pixels, mask, isRight: false, isBottom: true, ground) }
                if radii.bottomRight == radius { cut(pixels, mask, isRight: true, isBottom: true, ground) }
                done.append(radius)
            }
        }
        return result.freeze()
    }

    /// Mixes pixels of one corner with `ground` where `mask` does not cover them.
    private func cut(
        _ pixels: UnsafeMutableRawPointer,
        _ mask: borrowing CornerMask,
        isRight: Bool,
        isBottom: Bool,
        _ ground: SIMD4<UInt8>
    ) {
        let step = isRight ? -4 : 4
        let wideGround = SIMD8(lowHalf: SIMD4<UInt16>(truncatingIfNeeded: ground), highHalf: .zero)
        for y in 0..<mask.side {
            var pixel = pixels + (isBottom ? height - 1 - y : y) * bytesPerRow
            if isRight { pixel += bytesPerRow - 4 }
            for x in 0..<mask.side {
                let coverage = mask[x, y]
                if coverage == 0 {
                    pixel.storeBytes(of: ground, as: SIMD4<UInt8>.self)
                } else if coverage < 255 {
                    let wide = SIMD4<UInt16>(truncatingIfNeeded: pixel.load(as: SIMD4<UInt8>.self))
                    let kept = SIMD8(lowHalf: wide, highHalf: .zero) &* UInt16(coverage)
                    let mixed = dividedBy255(kept &+ wideGround &* UInt16(255 - coverage))
                    pixel.storeBytes(of: SIMD4(truncatingIfNeeded: mixed.lowHalf), as: SIMD4<UInt8>.self)
                }
                pixel += step
            }
        }
    }
}
