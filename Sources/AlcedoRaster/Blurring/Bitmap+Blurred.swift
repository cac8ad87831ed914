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

extension Bitmap {
    /// Blurs in linear light with a Gaussian whose standard deviation is `radius` pixels.
    ///
    /// Runs four passes of an extended box filter, whose outermost taps have fractional weights: the variances add up to
    /// the Gaussian's exactly (Gwosdek, Grewenig, Bruhn and Weickert, “Theoretical Foundations of Gaussian Convolution by
    /// Extended Box Filtering”, 2011). Each pass repeats the edge pixels outwards. The time does not depend on the radius.
    /// Values are rounded to 8 bits between the passes along columns and those along rows. For a radius of 1 or more the result is
    /// on average within 1.5 levels of the exact one, and within 16 at hard edges between black and white; below 1, where
    /// few pixels sample the Gaussian, within 50 there. Differences are larger where the radius exceeds an eighth of a side.
    ///
    /// Returns `self` if `radius` is 0, negative or NaN. A deep bitmap stays deep if its space has sRGB's curve.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is longer than a million pixels.
    public consuming func blurredInLight(radius: Double) throws(CodecError) -> Bitmap {
        guard radius > 0 else { return self }
        return try blurredInLight(ExtendedBox(deviation: radius, passes: 4), passes: 4)
    }

    /// Replaces each pixel by the mean, in linear light, of the pixels at most `reach` rows and columns away.
    ///
    /// Otherwise like ``blurredInLight(radius:)``. Returns `self` if `reach` is 0 or less; the maximum is four million.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is longer than a million pixels.
    public consuming func boxBlurredInLight(reach: Int) throws(CodecError) -> Bitmap {
        guard reach > 0 else { return self }
        return try blurredInLight(ExtendedBox(reach: reach, edge: 0), passes: 1)
    }

    private consuming func blurredInLight(_ box: ExtendedBox, passes: Int) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be blurred")
        guard max(width, height) <= 1 << 20 else {
            throw .limitExceeded(.pixels, value: size.area, limit: 1 << 20)
        }
        if let light = deepLight() { return try boxFiltered(box, passes: passes, in: light) }
        let (width, height) = (width, height)
        return try rewriting(alpha: alpha) { source, target in
            let target = target.assumingMemoryBound(to: UInt32.self)
            // The first direction reads the source, which may alias the target; the second reads the target.
            var input = UnsafePointer(source.assumingMemoryBound(to: UInt32.self))
            for (length, across, step, next) in [(height, width, width, 1), (width, height, 1, width)] {
                let strip = LinearLightStrip(length: length)
                for first in stride(from: 0, to: across, by: strip.width) {
                    let lines = min(strip.width, across - first)
                    strip.load(input + first * next, step: step, next: next, lines: lines)
                    for _ in 0..<passes { strip.blur(box) }
                    strip.store(to: target + first * next, step: step, next: next, lines: lines)
                }
                input = UnsafePointer(target)
            }
        }
    }
}

/// A box filter with one tap of fractional weight beyond each end.
struct ExtendedBox {
    /// Taps of weight 1 on each side of the centre, at most four million.
    let reach: Int

    /// The weight of the outermost tap on each side, from 0 to 1.
    let edge: Float

    /// The factor that normalizes the sum.
    var scale: Float { 1 / (Float(2 * reach + 1) + 2 * edge) }

    init(reach: Int, edge: Float) {
        self.reach = min(reach, 1 << 22)
        self.edge = edge
    }

    /// The box that gives a standard deviation of `deviation` after `passes` passes.
    init(deviation: Double, passes: Int) {
        let variance = min(deviation * deviation, 1e13) / Double(passes)
        let reach = ((12 * variance + 1).squareRoot() / 2 - 0.5).rounded(.down)
        let squares = reach * (reach + 1) * (2 * reach + 1) / 3
        let edge = (variance * (2 * reach + 1) - squares) / (2 * ((reach + 1) * (reach + 1) - variance))
        self.init(reach: Int(reach), edge: Float(max(0, min(edge, 1))))
    }
}
