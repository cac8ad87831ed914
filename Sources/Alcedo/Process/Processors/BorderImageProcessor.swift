/// Draws a border along the edges, inside the image.
///
/// An image input keeps its own scale; the option `scaleFactor` applies only to data.
public struct BorderImageProcessor: ImageProcessor, PixelProcessor {
    /// Contains the border's parameters.
    public var identifier: String { "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifierText)" }

    /// The border.
    public let border: Border

    /// Makes a processor.
    public init(border: Border) {
        self.border = border
    }

    /// Processes an item; nil on failure.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    let rescalesImages = false

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.border(border)].compactMap(\.self)
    }
}
