import AlcedoLocks
import AlcedoPixels

/// Has images decoded with a ``ColorRetention`` other than the standard; the first processor of a load with that option, so that its images have
/// keys of their own.
struct ColorRetainingProcessor: ImageProcessor, PixelProcessor {
    let identifier: String

    init(_ retention: ColorRetention) { identifier = "alcedo.ColorRetentionProcessor(\(retention))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.processed(by: [self], options)
    }

    /// None: the decoders do what ``DecodeLimits/colorRetention`` says.
    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? { [] }
}

extension Image {
    /// The image, decoded from its bytes with the colours of `limits`; itself if it has been processed.
    ///
    /// An image from a cache was made with the options of an earlier load.
    func retainingColor(_ limits: DecodeLimits) -> Image {
        guard animation == nil, let encoded, encoded.limits.colorRetention != limits.colorRetention else {
            return self
        }
        return Image(
            store: PixelStore(encoded.retaining(limits.colorRetention)), pixelSize: pixelSize,
            options: creatingOptions, attachments: attachments.withLock { $0 })
    }
}
