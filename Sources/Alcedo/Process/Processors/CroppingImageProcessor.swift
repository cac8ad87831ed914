public import Foundation

/// Cuts a rectangle out of an image, without scaling.
public struct CroppingImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The size in points, clipped to the image.
    public let size: CGSize

    /// The anchor: (0, 0) is the upper left, (1, 1) the lower right.
    public let anchor: CGPoint

    /// Creates a processor; crops around the centre by default.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier =
            "com.onevcat.Kingfisher.CroppingImageProcessor(\(identifierText(size))_\(identifierText(anchor)))"
    }

    /// Processes an item; nil on failure or if the result is empty.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    var hasSizesInPoints: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.crop(to: size, anchor: anchor)]
    }
}
