import AlcedoRaster

/// Takes the colour away and exposes by 0.7 stops more.
public struct BlackWhiteProcessor: ImageProcessor {
    /// The same for all.
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    /// Makes a processor.
    public init() {}

    /// The image in shades of grey.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        guard let image = image(of: item, options: options) else { return nil }
        return try? image.adjusted(.blackAndWhite)
    }
}
