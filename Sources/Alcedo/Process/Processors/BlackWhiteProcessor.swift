import AlcedoRaster

/// Takes the colour away and exposes by 0.7 stops more.
public struct BlackWhiteProcessor: ImageProcessor, PixelProcessor {
    /// The same for all.
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    /// Makes a processor.
    public init() {}

    /// The image in shades of grey.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        PixelChange.adjust(.blackAndWhite).map { [$0] }
    }
}
