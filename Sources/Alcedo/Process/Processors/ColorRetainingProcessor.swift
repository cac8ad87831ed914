import AlcedoLocks
import AlcedoPixels

/// Has images decoded with a ``ColorRetention`` other than the standard.
///
/// The first processor of a load with that option, so that its images have keys of their own.
struct ColorRetainingProcessor: ImageProcessor, PixelProcessor {
    let identifier: String

    init(_ retention: ColorRetention) { identifier = "alcedo.ColorRetentionProcessor(\(retention))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.processed(by: [self], options)
    }

    /// None: the decoders do what ``DecodeLimits/colorRetention`` says.
    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? { [] }
}

extension ImageProcessor {
    /// The processor without a ``ColorRetainingProcessor`` in front; itself if it has none.
    var withoutColorRetention: any ImageProcessor {
        if let keeping = self as? MetadataProcessor {
            return MetadataProcessor(base: keeping.base.withoutColorRetention, policy: keeping.policy)
        }
        let steps = steps
        guard steps.first is ColorRetainingProcessor else { return self }
        return switch steps.count {
        case 1: DefaultImageProcessor.default
        case 2: steps[1]
        default: ProcessorChain(steps.dropFirst())
        }
    }
}

extension Image {
    /// The image, decoded from its bytes with the colours of `limits`; itself if it has been processed.
    ///
    /// An image from a cache was created with the options of an earlier load.
    func retainingColor(_ limits: DecodeLimits) -> Image {
        guard animation == nil, let encoded, encoded.limits.colorRetention != limits.colorRetention else {
            return self
        }
        return Image(
            store: PixelStore(encoded.retaining(limits.colorRetention)), pixelSize: pixelSize,
            options: creatingOptions, attachments: attachments.withLock { $0 })
    }
}
