import AlcedoCodecs
public import Foundation

/// Stores an image in the format that it came in.
///
/// An image that nothing has changed is stored as the very bytes that it was made from, whatever their format, and so
/// without loss. A changed one is encoded: as JPEG where the original is a JPEG and no pixel is transparent; else as
/// PNG, so that nothing is lost, for a JPEG with corners cut off as for a GIF or a WebP. A changed animation stays one, in
/// the original's format if that can be animated, else as an animated PNG; a GIF that has become translucent is one of
/// these, for a GIF's pixels are opaque or clear.
public struct DefaultCacheSerializer: CacheSerializer {
    /// One with the default settings.
    public static let `default` = DefaultCacheSerializer()

    /// Quality of a JPEG that has to be encoded, from 0 (smallest) to 1 (best); 1 by default.
    public var compressionQuality: CGFloat = 1.0

    /// Stores the original in place of a changed image, which is then processed again on every hit; false by default.
    public var preferCacheOriginalData: Bool = false

    /// Makes a serializer with the default settings.
    public init() {}

    /// ``preferCacheOriginalData``.
    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// The bytes to store; nil if the image can't be decoded.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        if let encoded = image.encoded { return encoded.data }
        if image.frameCount > 1 {
            var format = original?.encodedFormat.flatMap { codecs.codec(animating: $0) == nil ? nil : $0 }
            if format == .gif, (try? image.bitmap())?.isTranslucent == true { format = nil }
            let options = EncodeOptions { $0.quality = Double(compressionQuality) }
            if let data = try? image.animationData(as: format ?? .png, options: options) { return data }
        }
        let format = image.format(for: original?.kf.imageFormat ?? .unknown)
        return image.kf.data(format: format, compressionQuality: compressionQuality)
    }

    /// The image in `data` at the scale and with the limits of the options; pixels are decoded on first use.
    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: .data(data), options: options)
    }
}

extension Bitmap {
    /// Whether some pixel is neither opaque nor clear.
    fileprivate var isTranslucent: Bool {
        alpha != .opaque
            && withUnsafeBytes { bytes in
                stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 0 && bytes[$0] != 255 }
            }
    }
}

extension Image {
    /// JPEG for a JPEG original, if that can hold all of the image; else PNG.
    func format(for original: ImageFormat) -> ImageFormat {
        guard original == .JPEG, let bitmap = try? bitmap(), bitmap.alpha == .opaque else { return .PNG }
        return .JPEG
    }
}
