public import Alcedo
import AlcedoRaster
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// The image stretched to `size`.
    ///
    /// - Parameters:
    ///   - size: in points; neither side may be zero or less.
    ///   - scale: pixels per point of the result; nil for the image's own.
    /// - Returns: a picture of `size`; the image itself if it is damaged or `size` is too large.
    public func imageScaled(to size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            try type.pixels(resizedTo: target)
        }
    }

    /// The image as large as fits into `size`, in the middle of a transparent picture of just that size.
    ///
    /// - Parameters:
    ///   - size: in points; neither side may be zero or less.
    ///   - scale: pixels per point of the result; nil for the image's own.
    /// - Returns: a picture of `size`; the image itself if it is damaged or `size` is too large.
    public func imageAspectScaled(toFit size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            let fitted = type.pixelSize.fitted(target)
            let picture = try type.pixels(resizedTo: fitted)
            guard fitted != target else { return picture }
            let clear = RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
            var canvas = try Canvas(size: target, background: clear)
            let place = PixelRect(
                x: Double((target.width - fitted.width) / 2),
                y: Double((target.height - fitted.height) / 2),
                width: Double(fitted.width),
                height: Double(fitted.height)
            )
            try canvas.draw(picture, in: place)
            return canvas.finish()
        }
    }

    /// The middle of the image as small as covers `size`, cut to just that size.
    ///
    /// - Parameters:
    ///   - size: in points; neither side may be zero or less.
    ///   - scale: pixels per point of the result; nil for the image's own.
    /// - Returns: a picture of `size`; the image itself if it is damaged or `size` is too large.
    public func imageAspectScaled(toFill size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            let covering = type.pixelSize.filled(target)
            // Twice as many, where a codec can choose: what it reduces to is rounded up to whole pixels.
            let enough = PixelSize(width: covering.width * 2, height: covering.height * 2)
            return try type.bitmap(atLeast: type.info?.isScalable == true ? covering : enough).filling(target)
        }
    }
}

extension Image {
    /// A picture of `size` points with the pixels that `draw` makes for a size in pixels; the image itself if
    /// that is no size or `draw` fails.
    fileprivate func redrawn(
        at size: CGSize,
        scale: CGFloat?,
        _ draw: (PixelSize) throws(CodecError) -> Bitmap
    ) -> Image {
        assert(size.width > 0 && size.height > 0, "an image cannot be scaled to nothing")
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
