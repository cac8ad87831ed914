import AlcedoRaster
import Foundation

extension Image {
    /// The image at another size in pixels; the scale stays.
    ///
    /// Of bytes not yet decoded, no more is decoded than the size needs, and that is twice the size: a codec that
    /// decodes to a smaller size averages coarsely, and the filter that follows needs something to work on.
    func resized(to size: PixelSize) throws(CodecError) -> Image {
        guard size != pixelSize else { return self }
        let enough = PixelSize(width: size.width * 2, height: size.height * 2)
        return Image(bitmap: try bitmap(atLeast: enough).resized(to: size), scale: scale)
    }

    /// The image stretched to a size in points, rounded to whole pixels; throws if `limits` do not allow that.
    func resized(toPoints size: CGSize, limits: DecodeLimits) throws(CodecError) -> Image {
        guard let pixels = PixelSize(points: size, scale: scale) else {
            throw .limitExceeded(.pixels, value: 0, limit: limits.pixelsPerFrame)
        }
        try limits.check(frame: pixels, of: info?.format ?? .png)
        return try resized(to: pixels)
    }

    /// The image fitted to a size in points; a side that would be rounded to nothing has one pixel.
    func resized(to size: CGSize, for mode: ContentMode, limits: DecodeLimits) throws(CodecError) -> Image {
        guard size.width > 0, size.height > 0 else {
            return try resized(toPoints: size, limits: limits)
        }
        let fitted = self.size.kf.resize(to: size, for: mode)
        let least = 1 / scale
        return try resized(
            toPoints: CGSize(width: max(fitted.width, least), height: max(fitted.height, least)),
            limits: limits
        )
    }
}
