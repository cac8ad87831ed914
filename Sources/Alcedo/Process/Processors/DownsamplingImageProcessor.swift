public import Foundation

/// Decodes straight to a smaller size: the way to show a large photograph in a small place.
///
/// The longer side becomes the longer side of `size` times the option `scaleFactor`, in pixels; the aspect ratio is kept
/// and nothing is enlarged but a vector picture, which is drawn at that size. A baseline JPEG or a lossy WebP without alpha
/// never takes the memory of its full size, which may exceed ``AlcedoPixels/DecodeLimits/pixelsPerFrame``.
public struct DownsamplingImageProcessor: ImageProcessor, PixelProcessor {
    /// The size to fit, in points.
    public let size: CGSize

    /// Names the size.
    public let identifier: String

    /// Makes a processor for `size` in points.
    public init(size: CGSize) {
        self.size = size
        identifier = "com.onevcat.Kingfisher.DownsamplingImageProcessor(\(identifierText(size)))"
    }

    /// The smaller image.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let side = Double(max(size.width, size.height) * options.scaleFactor)
        return side > 0 ? [.fit(longerSide: side)] : nil
    }
}
