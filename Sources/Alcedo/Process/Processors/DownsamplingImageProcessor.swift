public import Foundation

/// Decodes at a reduced size; use it for thumbnails of large photographs.
///
/// The longer side becomes the longer side of `size` times the option `scaleFactor`, in pixels. The aspect ratio is
/// kept. Only vector images are enlarged; they are rendered at that size. A baseline JPEG or a lossy WebP without
/// alpha never takes the memory of its full size, which may exceed ``DecodeLimits/pixelsPerFrame``.
///
/// A size of zero, as of a view before its layout, keeps all pixels; a view then decodes those that it draws.
public struct DownsamplingImageProcessor: ImageProcessor, PixelProcessor {
    /// The size to fit, in points.
    public let size: CGSize

    public let identifier: String

    /// Creates a processor for `size` in points.
    public init(size: CGSize) {
        self.size = size
        identifier = "com.onevcat.Kingfisher.DownsamplingImageProcessor(\(identifierText(size)))"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    var determinesSize: Bool { max(size.width, size.height) > 0 }

    var hasSizesInPoints: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let side = Double(max(size.width, size.height) * options.scaleFactor)
        return side > 0 ? [.fit(longerSide: side)] : []
    }
}
