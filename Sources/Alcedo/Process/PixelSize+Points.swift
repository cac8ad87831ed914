import AlcedoPixels
package import Foundation

extension PixelSize {
    /// Points times `scale`, rounded and at least 1; nil if that is no size for an image.
    package init?(points: CGSize, scale: CGFloat) {
        let width = (points.width * scale).rounded()
        let height = (points.height * scale).rounded()
        guard points.width > 0, points.height > 0, max(width, height) <= CGFloat(Int32.max) else {
            return nil
        }
        self.init(width: max(1, Int(width)), height: max(1, Int(height)))
    }

    /// The pixels that `points` lie on at `scale`, which may be a fraction: rounded up; nil for nothing.
    package init?(covering points: CGSize, scale: CGFloat) {
        // What is off by a rounding error does not take another pixel.
        let width = (points.width * scale - 0.001).rounded(.up)
        let height = (points.height * scale - 0.001).rounded(.up)
        guard points.width > 0, points.height > 0, scale > 0, max(width, height) <= CGFloat(Int32.max) else {
            return nil
        }
        self.init(width: max(1, Int(width)), height: max(1, Int(height)))
    }

    /// Points times `scale`; throws if that is no size that `limits` allow.
    init(points: CGSize, scale: CGFloat, limits: DecodeLimits) throws(CodecError) {
        guard let size = PixelSize(points: points, scale: scale) else {
            throw .limitExceeded(.pixels, value: 0, limit: limits.pixelsPerFrame)
        }
        try limits.check(frame: size, of: .png)
        self = size
    }

    /// This size in points.
    func points(scale: CGFloat) -> CGSize {
        CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
    }

    /// This size reduced, if need be, so that its longer side is `limit`, rounded; no side is less than 1.
    ///
    /// With `enlarges`, it is enlarged too.
    func fitted(longerSide limit: Double, enlarges: Bool = false) -> PixelSize {
        // No image has a side of a thousand million pixels, and products with that are whole numbers still.
        let factor = min(limit, 1e9) / Double(max(width, height))
        guard factor < 1 || enlarges else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded()))
        )
    }
}
