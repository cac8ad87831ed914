public import Foundation

/// Stores images in one format.
///
/// An unchanged image of the format is stored as its own bytes, unless a JPEG quality below 1 is set. If an image can't be
/// encoded in the format, it is stored in the original's format, as its own bytes if unchanged, or as PNG.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    public static let png = FormatIndicatedCacheSerializer(imageFormat: .PNG, jpegCompressionQuality: nil)

    /// Stores JPEGs of the best quality; transparent pixels become white.
    public static let jpeg = FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: 1.0)

    /// Stores JPEGs of a quality from 0 (smallest) to 1 (best); transparent pixels become white.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: compressionQuality)
    }

    /// Stores GIFs, still or animated, with at most 256 colours per frame.
    public static let gif = FormatIndicatedCacheSerializer(imageFormat: .GIF, jpegCompressionQuality: nil)

    private let imageFormat: ImageFormat
    private let jpegCompressionQuality: CGFloat?

    private init(imageFormat: ImageFormat, jpegCompressionQuality: CGFloat?) {
        self.imageFormat = imageFormat
        self.jpegCompressionQuality = jpegCompressionQuality
    }

    /// The bytes to store; nil if the image can't be encoded.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if let data = data(of: image, in: imageFormat) { return data }
        let originalFormat = original?.kf.imageFormat ?? .unknown
        let alternative = originalFormat == .JPEG ? image.format(for: originalFormat) : originalFormat
        if alternative != imageFormat, let data = data(of: image, in: alternative) { return data }
        return image.encoded?.data ?? image.kf.pngRepresentation()
    }

    /// The image in `data`, with the scale and the limits of the options; its pixels are decoded on first use.
    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }

    private func data(of image: KFCrossPlatformImage, in format: ImageFormat) -> Data? {
        switch format {
        case .PNG: image.kf.pngRepresentation()
        case .JPEG:
            image.kf.data(format: .JPEG, quality: Double(jpegCompressionQuality ?? 1), effort: .quick)
        case .GIF: image.kf.gifRepresentation()
        case .unknown: nil
        }
    }
}
