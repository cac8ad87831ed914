public import AlcedoPixels

extension Bitmap {
    /// The picture blurred in linear light by a Gaussian whose standard deviation is `radius` pixels.
    ///
    /// Four passes of an extended box filter, whose variances add up to the Gaussian's (Gwosdek, Grewenig, Bruhn and Weickert,
    /// “Theoretical Foundations of Gaussian Convolution by Extended Box Filtering”, 2011). Edge pixels are repeated beyond the
    /// edges. The time does not depend on the radius. The intermediate result has 8 bits: the mean error is below 1.5 levels, and
    /// at edges between black and white below 16.
    ///
    /// Returns `self` if `radius` is 0, negative or not a number.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` if a side is longer than a million pixels.
    public consuming func blurredInLight(radius: Double) throws(CodecError) -> Bitmap {
        guard radius > 0 else { return self }
        return try blurredInLight(ExtendedBox(deviation: radius, passes: 4), passes: 4)
    }

    /// The picture with each pixel's light replaced by the mean of those that are no further from it than `reach`, in rows
    /// and columns.
    ///
    /// Otherwise as ``blurredInLight(radius:)``. Returns `self` if `reach` is 0 or less; at most it is four million.
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
        let (width, height) = (width, height)
        return try rewriting(alpha: alpha) { source, target in
            let target = target.assumingMemoryBound(to: UInt32.self)
            // The first direction reads the source, which may be the target itself; the second one its result.
            var input = UnsafePointer(source.assumingMemoryBound(to: UInt32.self))
            for (length, across, step, next) in [(height, width, width, 1), (width, height, 1, width)] {
                let strip = LightStrip(length: length)
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

/// A box filter that counts one neighbour beyond each end in part.
struct ExtendedBox {
    /// Neighbours on each side that count in full, at most four million.
    let reach: Int

    /// How much the next one on each side counts, from 0 to 1.
    let edge: Float

    /// The factor of the sum.
    var scale: Float { 1 / (Float(2 * reach + 1) + 2 * edge) }

    init(reach: Int, edge: Float) {
        self.reach = min(reach, 1 << 22)
        self.edge = edge
    }

    /// The box that comes to a standard deviation in so many passes.
    init(deviation: Double, passes: Int) {
        let variance = min(deviation * deviation, 1e13) / Double(passes)
        let reach = ((12 * variance + 1).squareRoot() / 2 - 0.5).rounded(.down)
        let squares = reach * (reach + 1) * (2 * reach + 1) / 3
        let edge = (variance * (2 * reach + 1) - squares) / (2 * ((reach + 1) * (reach + 1) - variance))
        self.init(reach: Int(reach), edge: Float(max(0, min(edge, 1))))
    }
}
