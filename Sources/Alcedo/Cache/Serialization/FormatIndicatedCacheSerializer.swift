public import Foundation

/// Stores images in one format, whatever they came in.
///
/// An image that nothing has changed and that is in the format already is stored as the very bytes that it was made
/// from, unless it is to be a JPEG of a lower quality than 1. Where an image can't be written in the format, it is
/// stored in the original's format, as its own bytes if nothing has changed it or as PNG, the first of these that is
/// possible.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    /// Stores PNGs.
    public static let png = FormatIndicatedCacheSerializer(imageFormat: .PNG, jpegCompressionQuality: nil)

    /// Stores JPEGs of the best quality; what is transparent becomes white.
    public static let jpeg = FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: 1.0)

    /// Stores JPEGs of a quality from 0 (smallest) to 1 (best); what is transparent becomes white.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: compressionQuality)
    }

    /// Stores GIFs, animated or not; those of other images have at most 256 colours a frame.
    public static let gif = FormatIndicatedCacheSerializer(imageFormat: .GIF, jpegCompressionQuality: nil)

    private let imageFormat: ImageFormat
    private let jpegCompressionQuality: CGFloat?

    private init(imageFormat: ImageFormat, jpegCompressionQuality: CGFloat?) {
        self.imageFormat = imageFormat
        self.jpegCompressionQuality = jpegCompressionQuality
    }

    /// The bytes to store, never those of an original that the image no longer shows; nil if it can't be written.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if let data = data(of: image, in: imageFormat) { return data }
        let originalFormat = original?.kf.imageFormat ?? .unknown
        let alternative = originalFormat == .JPEG ? image.format(for: originalFormat) : originalFormat
        if alternative != imageFormat, let data = data(of: image, in: alternative) { return data }
        return image.encoded?.data ?? image.kf.pngRepresentation()
    }

    /// The image in `data` at the scale and with the limits of the options; pixels are decoded on first use.
    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }

    private func data(of image: KFCrossPlatformImage, in format: ImageFormat) -> Data? {
        switch format {
        case .PNG: image.kf.pngRepresentation()
        case .JPEG: image.kf.jpegRepresentation(compressionQuality: jpegCompressionQuality ?? 1)
        case .GIF: image.kf.gifRepresentation()
        case .unknown: nil
        }
    }
}
