/// Draws a line along the edges, inside the image.
///
/// An image that is not made of data keeps its own scale, whatever the option `scaleFactor` says.
public struct BorderImageProcessor: ImageProcessor {
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
        if case .image(let image) = item { return try? image.bordered(border) }
        return try? image(of: item, options: options)?.bordered(border)
    }
}
