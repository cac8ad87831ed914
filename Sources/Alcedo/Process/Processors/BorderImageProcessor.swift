/// Draws a line along the edges, inside the image.
///
/// An image that is not made of data keeps its own scale, whatever the option `scaleFactor` says.
public struct BorderImageProcessor: ImageProcessor, PixelProcessor {
    /// Names the border.
    public var identifier: String { "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifierText)" }

    /// The line.
    public let border: Border

    /// Makes a processor.
    public init(border: Border) {
        self.border = border
    }

    /// The image with its border.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    let rescalesImages = false

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.border(border)].compactMap(\.self)
    }
}
