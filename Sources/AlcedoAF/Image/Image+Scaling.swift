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
            let fitted = type.pixelSize.scaled(by: type.pixelSize.fittingFactor(target))
            return try type.pixels(forReducingTo: fitted).fitting(target)
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
            try type.pixels(forReducingTo: type.pixelSize.filled(target)).filling(target)
        }
    }
}

extension Image {
    /// Pixels from which a reduction to about `size` loses nothing.
    fileprivate func pixels(forReducingTo size: PixelSize) throws(CodecError) -> Bitmap {
        // Twice the size for reduced decoding, whose sizes are rounded up to whole pixels.
        let minimum = PixelSize(width: size.width * 2, height: size.height * 2)
        return try bitmap(atLeast: info?.isScalable == true ? size : minimum)
    }

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
