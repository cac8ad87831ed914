import AlcedoPixels

/// Creates an image from bytes, and returns an image unchanged, at the option `scaleFactor`.
///
/// Decoding is deferred to first use, except for animations with the option `preloadAllAnimationData`.
public struct DefaultImageProcessor: ImageProcessor {
    public static let `default` = DefaultImageProcessor()

    /// The empty string: images of this processor are cached under the plain key.
    public let identifier = ""

    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        switch item {
        case .image(let image): image.kf.scaled(to: options.scaleFactor)
        case .data(let data):
            options.recording { () throws(CodecError) in
                try Image.make(
                    of: data, options: options.imageCreatingOptions, limits: options.decodeLimits,
                    mayBeReduced: options.decodesReduced, resources: options.decodeResources)
            }
        }
    }
}
