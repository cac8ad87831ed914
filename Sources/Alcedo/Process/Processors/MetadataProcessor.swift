import AlcedoCodecs
import AlcedoLocks
import Foundation

extension ImageProcessor {
    /// This processor, whose images keep metadata of the file that they are made of.
    ///
    /// A processed image has none otherwise. What is kept is in ``Image/metadata`` and in each file of the disk cache, and
    /// counts in ``Image/cacheCost``; ``EncodeOptions/metadata`` says what is written elsewhere. The policy is part of the
    /// identifier. Apply it to a whole chain: `(first |> second).keepingMetadata()`. An image that the processor does not
    /// change keeps its bytes, and with them all metadata.
    public func keepingMetadata(_ policy: MetadataPolicy = .copyright) -> any ImageProcessor {
        policy == .none ? self : MetadataProcessor(base: self, policy: policy)
    }
}

/// Runs a processor, and keeps metadata of what it got.
struct MetadataProcessor: ImageProcessor {
    let base: any ImageProcessor
    let policy: MetadataPolicy

    var identifier: String { "\(base.identifier)@metadata(\(policy.rawValue))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let image = base.process(item: item, options: options) else { return nil }
        guard image.encoded == nil else { return image }
        let blocks =
            switch item {
            case .image(let source): source.metadataBlocks
            case .data(let data):
                data.encodedFormat.map {
                    MetadataBlocks(of: data.bytes, format: $0, limit: options.decodeLimits.metadataBytes)
                } ?? MetadataBlocks()
            }
        let kept = blocks.kept(by: policy, orientation: .up)
        guard !kept.isEmpty else { return image }
        // Not the same object, which the processor may have got from elsewhere.
        let result = Image(image, scale: image.scale)
        result.attachments.withLock { $0.metadata = kept }
        return result
    }
}
