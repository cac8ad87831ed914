public import Foundation

/// Cuts the part out of an image that matters most, without scaling: where edges and saturated colours are.
///
/// For thumbnails, scale the image first, so that it covers the size:
///
/// ```swift
/// let side = CGSize(width: 200, height: 200)
/// let processor =
///     ResizingImageProcessor(referenceSize: side, mode: .aspectFill) |> SmartCroppingImageProcessor(size: side)
/// ```
///
/// All frames of an animation show the part that matters most in its first one.
public struct SmartCroppingImageProcessor: ImageProcessor, PixelProcessor {
    public let identifier: String

    /// The size in points, clipped to the image.
    public let size: CGSize

    /// Creates a processor for `size` in points.
    public init(size: CGSize) {
        self.size = size
        identifier = "alcedo.SmartCroppingImageProcessor(\(identifierText(size)))"
    }

    /// Processes an item; nil on failure or if the result is empty.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    var hasSizesInPoints: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? { [.smartCrop(to: size)] }
}
