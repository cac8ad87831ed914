public import Alcedo
import AlcedoRaster
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// Stretches the image to `size`.
    ///
    /// - Parameters:
    ///   - size: the size in points; both sides must be positive.
    ///   - scale: pixels per point of the result; nil for the scale of the image.
    /// - Returns: an image of `size`; the image itself if it is damaged or `size` is too large.
    public func imageScaled(to size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            try type.pixels(resizedTo: target)
        }
    }

    /// Scales the image to fit inside `size`, centred on a transparent background of that size.
    ///
    /// - Parameters:
    ///   - size: the size in points; both sides must be positive.
    ///   - scale: pixels per point of the result; nil for the scale of the image.
    /// - Returns: an image of `size`; the image itself if it is damaged or `size` is too large.
    public func imageAspectScaled(toFit size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            let fitted = type.pixelSize.fitted(target)
            let scaled = try type.pixels(resizedTo: fitted)
            guard fitted != target else { return scaled }
            let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
            var canvas = try Canvas(size: target, background: clear)
            let rect = PixelRect(
                x: Double((target.width - fitted.width) / 2),
                y: Double((target.height - fitted.height) / 2),
                width: Double(fitted.width),
                height: Double(fitted.height)
            )
            try canvas.draw(scaled, in: rect)
            return canvas.finish()
        }
    }

    /// Scales the image to fill `size`, and crops around the centre.
    ///
    /// - Parameters:
    ///   - size: the size in points; both sides must be positive.
    ///   - scale: pixels per point of the result; nil for the scale of the image.
    /// - Returns: an image of `size`; the image itself if it is damaged or `size` is too large.
    public func imageAspectScaled(toFill size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            let covering = type.pixelSize.filled(target)
            // Twice the size for reduced decoding, whose sizes are rounded up to whole pixels.
            let minimum = PixelSize(width: covering.width * 2, height: covering.height * 2)
            let decodeSize = type.info?.isScalable == true ? covering : minimum
            return try type.bitmap(atLeast: decodeSize).filling(target)
        }
    }
}

extension Image {
    /// An image of `size` points with the bitmap that `draw` returns for the size in pixels; the image itself if
    /// `size` is invalid or `draw` throws.
    fileprivate func redrawn(
        at size: CGSize,
        scale: CGFloat?,
        _ draw: (PixelSize) throws(CodecError) -> Bitmap
    ) -> Image {
        assert(size.width > 0 && size.height > 0, "both sides of the size must be positive")
        let scale = scale ?? self.scale
        guard let pixels = PixelSize(points: size, scale: scale) else { return self }
        do throws(CodecError) {
            try DecodeLimits().check(frame: pixels, of: info?.format ?? .png)
            return Image(bitmap: try draw(pixels), scale: scale)
        } catch {
            return self
        }
    }
}
