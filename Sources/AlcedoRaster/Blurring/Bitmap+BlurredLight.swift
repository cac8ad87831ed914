public import AlcedoPixels

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
