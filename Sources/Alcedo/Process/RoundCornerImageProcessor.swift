import AlcedoRaster
public import Foundation

/// Rounds some or all corners.
public struct RoundCornerImageProcessor: ImageProcessor {
    /// Names every parameter.
    public let identifier: String

    /// The corners' radius, in points or as a fraction of a side.
    public let radius: Radius

    /// The corners that are rounded.
    public let roundingCorners: RectCorner

    /// The size to stretch the picture to first, in points; nil to leave it.
    public let targetSize: CGSize?

    /// What is seen outside the corners; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor with a radius in points.
    public init(
        cornerRadius: CGFloat,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.init(
            radius: .point(cornerRadius),
            targetSize: targetSize,
            roundingCorners: corners,
            backgroundColor: backgroundColor
        )
    }

    /// Makes a processor.
    public init(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.radius = radius
        self.targetSize = targetSize
        roundingCorners = corners
        self.backgroundColor = backgroundColor
        let size = targetSize.map { "_" + identifierText($0) } ?? ""
        let rounded = corners == .all ? "" : "_corner(\(corners.rawValue))"
        let ground = backgroundColor.map { "_\($0)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.RoundCornerImageProcessor(\(radius.identifierText)\(size)\(rounded))\(ground)"
    }

    /// The image with its corners rounded.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        guard let image = image(of: item, options: options) else { return nil }
        return try? image.rounded(self)
    }
}

extension Image {
    fileprivate func rounded(_ processor: RoundCornerImageProcessor) throws(CodecError) -> Image {
        let points = processor.targetSize ?? size
        guard let pixels = PixelSize(points: points, scale: scale) else { return self }
        let radius = Double(processor.radius.compute(with: points) * scale)
        let corners = processor.roundingCorners
        let radii = CornerRadii(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
        let bitmap = try resized(to: pixels).bitmap()
            .roundedCorners(radii: radii, background: processor.backgroundColor.map(RasterColor.init))
        return Image(bitmap: bitmap, scale: scale)
    }
}
