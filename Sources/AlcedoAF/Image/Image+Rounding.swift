public import Alcedo
import AlcedoRaster
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// Rounds the corners; the parts outside become transparent.
    ///
    /// - Parameters:
    ///   - radius: the radius in points, at most half of the shorter side.
    ///   - divideRadiusByImageScale: whether `radius` is in pixels.
    /// - Returns: an image of the same size; the image itself if it is damaged.
    public func imageRounded(
        withCornerRadius radius: CGFloat,
        divideRadiusByImageScale: Bool = false
    ) -> Image {
        let pixels = divideRadiusByImageScale ? radius : radius * type.scale
        return type.redrawn { bitmap throws(CodecError) in
            try bitmap.roundedCorners(radii: CornerRadii(Double(pixels)))
        }
    }

    /// Crops to the largest centred circle, in a transparent square with the length of the shorter side.
    ///
    /// Returns the image itself if it is damaged.
    public func imageRoundedIntoCircle() -> Image {
        type.redrawn { bitmap throws(CodecError) in
            let side = min(bitmap.width, bitmap.height)
            let square = try bitmap.cropped(
                x: (bitmap.width - side) / 2,
                y: (bitmap.height - side) / 2,
                width: side,
                height: side
            )
            return try square.roundedCorners(radii: CornerRadii(Double(side) / 2))
        }
    }
}

extension Image {
    /// An image of the bitmap that `draw` returns; the image itself if `draw` throws.
    fileprivate func redrawn(_ draw: (Bitmap) throws(CodecError) -> Bitmap) -> Image {
        do throws(CodecError) { return Image(bitmap: try draw(bitmap()), scale: scale) } catch { return self }
    }
}
