import AlcedoRaster

/// Converts to greyscale and increases the exposure by 0.7 stops.
public struct BlackWhiteProcessor: ImageProcessor, PixelProcessor {
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        PixelChange.adjust(.blackAndWhite).map { [$0] }
    }
}
