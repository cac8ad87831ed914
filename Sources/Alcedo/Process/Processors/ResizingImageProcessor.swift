public import Foundation

/// Resizes up or down.
public struct ResizingImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The size to fit, in points.
    public let referenceSize: CGSize

    /// How to fit an image with another aspect ratio.
    public let targetContentMode: ContentMode

    /// Creates a processor for `referenceSize` in points; stretches by default.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.referenceSize = referenceSize
        targetContentMode = mode
        let mode = mode == .none ? "" : ", \(mode)"
        identifier = "com.onevcat.Kingfisher.ResizingImageProcessor(\(identifierText(referenceSize))\(mode))"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    var determinesSize: Bool { true }

    var hasSizesInPoints: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.fit(to: referenceSize, targetContentMode, limits: options.decodeLimits)]
    }
}
