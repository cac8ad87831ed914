public import Alcedo
import AlcedoRaster
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// The image with its corners cut off in arcs; outside of them it is transparent.
    ///
    /// - Parameters:
    ///   - radius: in points; more than half of the shorter side counts as that half.
    ///   - divideRadiusByImageScale: whether `radius` is in pixels instead.
    /// - Returns: a picture of the same size, or the image itself if it is damaged.
    public func imageRounded(
        withCornerRadius radius: CGFloat,
        divideRadiusByImageScale: Bool = false
    ) -> Image {
        let pixels = divideRadiusByImageScale ? radius : radius * type.scale
        return type.redrawn { bitmap throws(CodecError) in
            try bitmap.roundedCorners(radii: CornerRadii(Double(pixels)))
        }
    }

    /// The largest circle in the middle of the image, in a transparent square as wide as the shorter side.
    ///
    /// A damaged image is returned as it is.
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
    /// The image with the pixels that `draw` makes of its own; the image itself if that fails.
    fileprivate func redrawn(_ draw: (Bitmap) throws(CodecError) -> Bitmap) -> Image {
        do throws(CodecError) { return Image(bitmap: try draw(bitmap()), scale: scale) } catch { return self }
    }
}
