public import AlcedoRaster
public import Foundation

/// Blends the image over a background colour.
public struct BlendImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String
    public let blendMode: CGBlendMode

    /// The factor for the image's alpha, from 0 to 1.
    public let alpha: CGFloat

    /// The background colour; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

    public init(blendMode: CGBlendMode, alpha: CGFloat = 1.0, backgroundColor: KFCrossPlatformColor? = nil) {
        self.blendMode = blendMode
        self.alpha = alpha
        self.backgroundColor = backgroundColor
        let background = backgroundColor.map { "_\($0.rgbaText)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.BlendImageProcessor(\(blendMode.rawValue),\(Double(alpha)))\(background)"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.blend(blendMode, alpha: alpha, over: backgroundColor)]
    }
}
