import AlcedoCodecs
public import Foundation

/// Stores images in the format of their originals.
///
/// | Image | Stored as |
/// |---|---|
/// | unchanged | the bytes of the original |
/// | changed, opaque, from a JPEG, not deep | JPEG |
/// | other changed images | PNG |
/// | changed animation | the original's format if a codec can animate it, else animated PNG |
/// | changed GIF with translucent pixels | animated PNG |
public struct DefaultCacheSerializer: CacheSerializer {
    /// A serializer with the default settings.
    public static let `default` = DefaultCacheSerializer()

    /// The quality of encoded JPEGs, from 0 (smallest) to 1 (best); 1 by default.
    ///
    /// At 1 an image from the disk looks like the one that was stored; at 0.9 a level differs by up to 55 of 255.
    public var compressionQuality: CGFloat = 1.0

    /// Stores the original instead of a processed image, so that every disk hit is processed again; false by default.
    public var preferCacheOriginalData: Bool = false

    /// Creates a serializer with the default settings.
    public init() {}

    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// The bytes to store; nil if the image can't be decoded.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        if let encoded = image.encoded { return encoded.data }
        if image.frameCount > 1 {
            var format = original?.encodedFormat.flatMap { codecs.codec(animating: $0) == nil ? nil : $0 }
            if format == .gif, (try? image.bitmap())?.isTranslucent == true { format = nil }
            let options = EncodeOptions {
                ($0.quality, $0.metadata) = (Double(compressionQuality), image.keptMetadata)
            }
            if let data = try? image.animationData(as: format ?? .png, options: options) { return data }
        }
        let format = image.format(for: original?.kf.imageFormat ?? .unknown)
        return image.kf.data(format: format, quality: Double(compressionQuality), effort: .quick)
    }

    /// The image in `data`, with the scale and the limits of the options; its pixels are decoded on first use.
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
    /// JPEG for an opaque image of a JPEG original, else PNG; a deep image, which a JPEG can't keep, is a PNG.
    func format(for original: ImageFormat) -> ImageFormat {
        guard original == .JPEG, let bitmap = try? bitmap(), bitmap.alpha == .opaque, !bitmap.isDeep
        else { return .PNG }
        return .JPEG
    }
}
