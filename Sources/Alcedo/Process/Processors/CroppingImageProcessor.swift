public import Foundation

/// Cuts out a part.
public struct CroppingImageProcessor: ImageProcessor, PixelProcessor {
    /// Names size and anchor.
    public let identifier: String

    /// The part's size, in points; what exceeds the image is cut off.
    public let size: CGSize

    /// Where the part lies: (0, 0) at the upper left, (1, 1) at the lower right.
    public let anchor: CGPoint

    /// Makes a processor; by default it cuts out the middle.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier =
            "com.onevcat.Kingfisher.CroppingImageProcessor(\(identifierText(size))_\(identifierText(anchor)))"
    }

    /// The part, or nil if it is empty.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.crop(to: size, anchor: anchor)]
    }
}
