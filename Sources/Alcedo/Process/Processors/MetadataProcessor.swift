import AlcedoCodecs
import AlcedoLocks
import AlcedoPixels
import Foundation

extension ImageProcessor {
    /// This processor, whose images keep metadata of the file that they are created from.
    ///
    /// A processed image has none otherwise. What is kept is in ``Image/metadata`` and in each file of the disk cache,
    /// and counts in ``Image/cacheCost``; ``EncodeOptions/metadata`` says what is written elsewhere. The policy is part
    /// of the identifier.
    ///
    /// The gain map of a JPEG is kept with ``MetadataPolicy/all`` and ``MetadataPolicy/allButLocation``, if the
    /// processor does no more than resizing; the disk cache stores deep images as PNG, which has no room for it.
    ///
    /// Apply it to a whole chain: `(first |> second).keepingMetadata()`. An image that the processor does not change
    /// keeps its bytes, and with them all metadata.
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
        var blocks =
            switch item {
            case .image(let source): source.metadataBlocks
            case .data(let data): blocks(of: data, limit: options.decodeLimits.metadataBytes)
            }
        if policy.keepsGainMap, base.onlyResizes(options), let bitmap = try? image.bitmap() {
            blocks.gainMap = item.gainMap(for: bitmap, options)
        }
        let kept = blocks.kept(by: policy, orientation: .up)
        guard !kept.isEmpty else { return image }
        // Not the same object, which the processor may have got from elsewhere.
        let result = Image(image, scale: image.scale)
        result.attachments.withLock { $0.metadata = kept }
        return result
    }

    private func blocks(of data: Data, limit: Int) -> MetadataBlocks {
        guard let format = data.encodedFormat else { return MetadataBlocks() }
        return MetadataBlocks(of: data.bytes, format: format, limit: limit)
    }
}

extension ImageProcessor {
    /// Whether images are the same picture in another size.
    fileprivate func onlyResizes(_ options: KingfisherParsedOptionsInfo) -> Bool {
        steps.allSatisfy { step in
            (step as? any PixelProcessor)?.changes(options)?
                .allSatisfy { change in
                    if case .edit = change { false } else { true }
                } ?? false
        }
    }
}

extension ImageProcessItem {
    /// The gain map for a picture of another size; nil if there is none that can be applied to it.
    fileprivate func gainMap(for picture: Bitmap, _ options: KingfisherParsedOptionsInfo) -> GainMapFile? {
        let encoded: EncodedImage? =
            switch self {
            case .image(let image): image.encoded
            case .data(let data):
                try? EncodedImage(
                    data, limits: options.decodeLimits, onlyFirstFrame: true, mayBeReduced: true,
                    resources: options.decodeResources)
            }
        return try? encoded?.gainMap(for: picture)
    }
}
