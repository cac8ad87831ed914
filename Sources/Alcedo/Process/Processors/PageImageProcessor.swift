import AlcedoPixels

/// Shows another picture of a file that has several: a page of a TIFF, a size of an icon, a picture of a HEIC or an AVIF, or a frame
/// of an animation as a still image.
///
/// Put it first in a chain: the next processors get that picture, as if it were alone in its file. Loads of an image that has
/// no such page fail. ``Image/pageCount`` says how many there are.
public struct PageImageProcessor: ImageProcessor {
    public let identifier: String

    /// The picture, from 0, in the order of the file.
    public let page: Int

    /// Creates a processor for a picture; the first one is 0.
    public init(page: Int) {
        self.page = page
        identifier = "alcedo.PageImageProcessor(\(page))"
    }

    /// Processes an item; nil if it has no such page, or that is damaged.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        options.recording { () throws(CodecError) in
            switch item {
            case .image(let image): try image.page(at: page).kf.scaled(to: options.scaleFactor)
            case .data(let data):
                try Image.page(at: page, of: data) { (data) throws(CodecError) in
                    try Image.make(
                        of: data, options: options.imageCreatingOptions, limits: options.decodeLimits,
                        mayBeReduced: options.decodesReduced, resources: options.decodeResources)
                }
            }
        }
    }
}
