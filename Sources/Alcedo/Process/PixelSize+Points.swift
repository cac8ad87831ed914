import AlcedoPixels
package import Foundation

extension PixelSize {
    /// `points` times `scale`, rounded and at least 1; nil if a side is 0 or less, or too large for an image.
    package init?(points: CGSize, scale: CGFloat) {
        let width = (points.width * scale).rounded()
        let height = (points.height * scale).rounded()
        guard points.width > 0, points.height > 0, max(width, height) <= CGFloat(Int32.max) else {
            return nil
        }
        self.init(width: max(1, Int(width)), height: max(1, Int(height)))
    }

    /// `points` times `scale`, which may be fractional, rounded up; nil if a side is 0 or less, or too large for an
    /// image.
    package init?(covering points: CGSize, scale: CGFloat) {
        // The tolerance keeps rounding errors from adding a pixel.
        let width = (points.width * scale - 0.001).rounded(.up)
        let height = (points.height * scale - 0.001).rounded(.up)
        guard points.width > 0, points.height > 0, scale > 0, max(width, height) <= CGFloat(Int32.max) else {
            return nil
        }
        self.init(width: max(1, Int(width)), height: max(1, Int(height)))
    }

    /// `points` times `scale`; throws if that is invalid or exceeds `limits`.
    init(points: CGSize, scale: CGFloat, limits: DecodeLimits) throws(CodecError) {
        guard let size = PixelSize(points: points, scale: scale) else {
            let isEmpty = !(points.width > 0 && points.height > 0)
            throw .limitExceeded(.pixels, value: isEmpty ? 0 : .max, limit: limits.pixelsPerFrame)
        }
        try limits.check(frame: size, of: .png)
        self = size
    }

    package func points(scale: CGFloat) -> CGSize {
        CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
    }

    /// This size, reduced so that its longer side is at most `limit`, rounded; each side is at least 1.
    ///
    /// With `enlarges`, smaller sizes are enlarged so that the longer side is `limit`.
    func fitted(longerSide limit: Double, enlarges: Bool = false) -> PixelSize {
        // 1e9 exceeds the side of every image, and keeps the result within Int if `limit` is infinite.
        let factor = min(limit, 1e9) / Double(max(width, height))
        guard factor < 1 || enlarges else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded()))
        )
    }
}
