public import Foundation

/// Scales to a size, up or down.
public struct ResizingImageProcessor: ImageProcessor, PixelProcessor {
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
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.fit(to: referenceSize, targetContentMode, limits: options.decodeLimits)]
    }
}
