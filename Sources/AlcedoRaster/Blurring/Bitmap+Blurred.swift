public import AlcedoPixels

extension Bitmap {
    /// Blurs with up to three box filters, which approximate a Gaussian.
    ///
    /// The box is as wide as W3C's Filter Effects specifies for a standard deviation of `radius` pixels,
    /// ⌊radius · 3√(2π)/4 + ½⌋, plus 1 if that is even, and at most eight million. A radius below 2 uses the box of
    /// radius 2, with one pass below 0.5 and two below 1.5. Edge pixels are repeated outwards.
    ///
    /// Works on sRGB-encoded, premultiplied values as they are stored, and rounds after each pass. A flat area
    /// keeps its exact colour, an opaque bitmap stays opaque, and no colour exceeds its alpha. The time is
    /// almost independent of the radius. Returns `self` if `radius` is 0, negative or NaN.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is longer than a million pixels.
    public consuming func blurred(radius: Double) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be blurred")
        guard radius > 0 else { return self }
        return try blurred(BoxKernel(radius: radius), passes: radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3)
    }

    /// Replaces each pixel by the mean of the pixels at most `reach` rows and columns away.
    ///
    /// Otherwise like ``blurred(radius:)``. Returns `self` if `reach` is 0 or less; the maximum is four million.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is longer than a million pixels.
    public consuming func boxBlurred(reach: Int) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be blurred")
        guard reach > 0 else { return self }
        return try blurred(BoxKernel(reach: reach), passes: 1)
    }

    private consuming func blurred(_ kernel: BoxKernel, passes: Int) throws(CodecError) -> Bitmap {
        let longest = max(width, height)
        guard longest <= 1 << 20 else {
            throw .limitExceeded(.pixels, value: size.area, limit: 1 << 20)
        }
        if isDeep {
            return try boxFiltered(ExtendedBox(reach: kernel.reach, edge: 0), passes: passes)
        }
        let (width, height, bytesPerRow) = (width, height, bytesPerRow)
        return try rewriting(alpha: alpha) { source, target in
            var strip = BlurStrip(length: longest)
            for left in stride(from: 0, to: width, by: BlurStrip.width) {
                let columns = min(BlurStrip.width, width - left)
                strip.load(
                    source + left * 4, bytesPerRow: bytesPerRow, columns: columns, rows: height)
                strip.blur(kernel, passes: passes, length: height)
                strip.store(to: target + left * 4, bytesPerRow: bytesPerRow, columns: columns, rows: height)
            }
            for top in stride(from: 0, to: height, by: BlurStrip.width) {
                let rows = min(BlurStrip.width, height - top)
                strip.loadTransposed(target + top * bytesPerRow, columns: width, rows: rows)
                strip.blur(kernel, passes: passes, length: width)
                strip.storeTransposed(to: target + top * bytesPerRow, columns: width, rows: rows)
            }
        }
    }

    /// Filters the samples of a deep bitmap in floating point, as they are encoded or in linear light.
    consuming func boxFiltered(
        _ box: ExtendedBox, passes: Int, in light: DeepLight? = nil
    ) throws(CodecError) -> Bitmap {
        let (width, height) = (width, height)
        return try rewritingDeep(alpha: alpha) { source, target in
            // The first direction reads the source, which may alias the target; the second reads the target.
            var input = source
            for (length, across, step, next) in [(height, width, width, 1), (width, height, 1, width)] {
                let strip = LinearLightStrip(length: length)
                for first in stride(from: 0, to: across, by: strip.width) {
                    let lines = min(strip.width, across - first)
                    strip.load(deep: input + first * next, light, step: step, next: next, lines: lines)
                    for _ in 0..<passes { strip.blur(box) }
                    strip.store(deep: target + first * next, light, step: step, next: next, lines: lines)
                }
                input = UnsafePointer(target)
            }
        }
    }
}
