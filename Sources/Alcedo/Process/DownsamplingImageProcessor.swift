public import Foundation

/// Decodes straight to a smaller size: the way to show a large photograph in a small place.
///
/// The longer side becomes the longer side of `size` times the option `scaleFactor`, in pixels; the aspect ratio is kept
/// and nothing is enlarged. A JPEG or WebP never takes the memory of its full size.
public struct DownsamplingImageProcessor: ImageProcessor {
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
        guard let image = image(of: item, options: options) else { return nil }
        let side = Double(max(size.width, size.height) * options.scaleFactor)
        guard side > 0 else { return nil }
        return try? image.resized(to: image.pixelSize.fitted(longerSide: side))
    }
}

extension PixelSize {
    /// This size reduced, if need be, so that its longer side is `limit`, rounded; no side is less than 1.
    func fitted(longerSide limit: Double) -> PixelSize {
        let factor = limit / Double(max(width, height))
        guard factor < 1 else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded()))
        )
    }
}
