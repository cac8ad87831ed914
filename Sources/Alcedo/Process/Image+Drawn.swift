import AlcedoRaster
import Foundation

/// What processors and `kf` do to an image: the results have its scale, and are made of its first frame.
///
/// Those that cannot be made throw ``CodecError``.
extension Image {
    func blurred(radius: Double) throws(CodecError) -> Image {
        guard radius > 0 else { return self }
        return Image(bitmap: try bitmap().blurred(radius: radius), scale: scale)
    }

    func overlaid(with color: Color, fraction: CGFloat) throws(CodecError) -> Image {
        guard !(fraction >= 1) else { return self }
        let bitmap = try bitmap().overlaid(with: RasterColor(color), fraction: Double(fraction))
        return Image(bitmap: bitmap, scale: scale)
    }

    func tinted(with color: Color) throws(CodecError) -> Image {
        Image(bitmap: try bitmap().tinted(with: RasterColor(color)), scale: scale)
    }

    func adjusted(_ controls: ColorControls) throws(CodecError) -> Image {
        Image(bitmap: try bitmap().adjusted(controls), scale: scale)
    }

    /// Cuts out a part of `part` points, which is moved and reduced to lie inside.
    func cropped(to part: CGSize, anchor: CGPoint) throws(CodecError) -> Image {
        let rectangle = size.kf.constrainedRect(for: part, anchor: anchor)
        guard let target = PixelSize(points: rectangle.size, scale: scale) else {
            throw .limitExceeded(.pixels, value: 0, limit: pixelSize.area)
        }
        let width = min(target.width, pixelSize.width)
        let height = min(target.height, pixelSize.height)
        guard width < pixelSize.width || height < pixelSize.height else { return self }
        let bitmap = try bitmap().cropped(
            x: min(Int((rectangle.minX * scale).rounded()), pixelSize.width - width),
            y: min(Int((rectangle.minY * scale).rounded()), pixelSize.height - height),
            width: width,
            height: height
        )
        return Image(bitmap: bitmap, scale: scale)
    }

    func blended(_ mode: BlendMode, alpha: CGFloat, over background: Color?) throws(CodecError) -> Image {
        let bitmap = try bitmap()
            .blended(mode, opacity: Double(alpha), over: background.map(RasterColor.init))
        return Image(bitmap: bitmap, scale: scale)
    }

    func bordered(_ border: Border) throws(CodecError) -> Image {
        let bitmap = try bitmap().bordered(
            RasterColor(border.color),
            lineWidth: Double(border.lineWidth * scale),
            radii: radii(border.radius, corners: border.roundingCorners)
        )
        return Image(bitmap: bitmap, scale: scale)
    }

    func rounded(_ radius: Radius, corners: RectCorner, background: Color?) throws(CodecError) -> Image {
        let bitmap = try bitmap().roundedCorners(
            radii: radii(radius, corners: corners),
            background: background.map(RasterColor.init)
        )
        return Image(bitmap: bitmap, scale: scale)
    }

    /// In pixels.
    private func radii(_ radius: Radius, corners: RectCorner) -> CornerRadii {
        let radius = Double(radius.compute(with: size) * scale)
        return CornerRadii(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
    }
}
