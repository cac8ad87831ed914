import AlcedoPixels

/// Makes an image of bytes and leaves an image as it is, at the scale that the options ask for.
///
/// Pixels are decoded when they are first needed, but for all frames of an animation if the options want them preloaded.
public struct DefaultImageProcessor: ImageProcessor {
    /// The only instance that anyone needs.
    public static let `default` = DefaultImageProcessor()

    /// The empty text: an image that only went through this processor is cached under its bare key.
    public let identifier = ""

    /// Makes another one.
    public init() {}

    /// The image at `options.scaleFactor`.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        switch item {
        case .image(let image): image.kf.scaled(to: options.scaleFactor)
        case .data(let data):
            options.noting { () throws(CodecError) in
                try Image.make(of: data, options: options.imageCreatingOptions, limits: options.decodeLimits)
            }
        }
    }
}
