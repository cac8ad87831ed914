public import Foundation

/// Scales to a size, up or down.
public struct ResizingImageProcessor: ImageProcessor {
    /// Names size and mode.
    public let identifier: String

    /// The size to fit, in points.
    public let referenceSize: CGSize

    /// How a picture of another shape is fitted.
    public let targetContentMode: ContentMode

    /// Makes a processor for `referenceSize` in points; by default it stretches.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.referenceSize = referenceSize
        targetContentMode = mode
        let mode = mode == .none ? "" : ", \(mode)"
        identifier = "com.onevcat.Kingfisher.ResizingImageProcessor(\(identifierText(referenceSize))\(mode))"
    }

    /// The resized image.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        guard let image = image(of: item, options: options) else { return nil }
        return try? image.resized(to: referenceSize, for: targetContentMode, limits: options.decodeLimits)
    }
}

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
}
