public import AlcedoRaster
public import Foundation

/// Puts the image on a colour, in a blend mode.
public struct BlendImageProcessor: ImageProcessor, PixelProcessor {
    /// Names every parameter.
    public let identifier: String

    /// How the image is put on the colour.
    public let blendMode: CGBlendMode

    /// What the image's own alpha is multiplied by, from 0 to 1.
    public let alpha: CGFloat

    /// The colour; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    public init(blendMode: CGBlendMode, alpha: CGFloat = 1.0, backgroundColor: KFCrossPlatformColor? = nil) {
        self.blendMode = blendMode
        self.alpha = alpha
        self.backgroundColor = backgroundColor
        let ground = backgroundColor.map { "_\($0.rgbaText)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.BlendImageProcessor(\(blendMode.rawValue),\(Double(alpha)))\(ground)"
    }

    /// The blended image.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.blend(blendMode, alpha: alpha, over: backgroundColor)]
    }
}
