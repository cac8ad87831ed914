public import Foundation

/// Rounds some or all corners.
public struct RoundCornerImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The corner radius, in points or as a fraction of a side.
    public let radius: Radius

    public let roundingCorners: RectCorner

    /// The size to stretch to first, in points; nil to keep the size.
    public let targetSize: CGSize?

    /// The colour outside the corners; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

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
        let background = backgroundColor.map { "_\($0)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.RoundCornerImageProcessor(\(radius.identifierText)\(size)\(rounded))\(background)"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    var hasSizesInPoints: Bool {
        if case .point = radius { return true }
        return targetSize != nil
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let corners = PixelChange.round(radius, corners: roundingCorners, background: backgroundColor)
        guard let targetSize else { return [corners] }
        return [.stretch(to: targetSize, limits: options.decodeLimits), corners]
    }
}
