import AlcedoCaches
public import AlcedoPixels
public import Foundation

/// An entry of a cache for an image: the original, or what a processor created from it.
public struct ImageVariant: Sendable, Hashable {
    /// The key of the image.
    public let key: String

    /// The identifier of the processor; empty for the original.
    ///
    /// Nil for a file whose processor is not known: one of an earlier version of Alcedo or of an encrypted cache, or one
    /// that the cache's present configuration would name otherwise. `removeImages` removes such files too.
    public let processorIdentifier: String?

    /// The cache that has the entry: ``CacheType/memory`` or ``CacheType/disk``.
    public let cacheType: CacheType

    /// Bytes of the file, or of the image's data and pixels in memory.
    public let byteCount: Int

    /// Width and height in pixels, upright; nil for a file that does not start with the headers of an image.
    public let pixelSize: PixelSize?

    /// When the entry expires unless it is read before; nil for never.
    public let expiration: Date?

    /// The entry's file; nil in memory.
    public let fileURL: URL?

    let forcedExtension: String?
}

extension ImageVariant {
    /// Reads the headers of the image, and does not touch the entry.
    init(
        _ variant: DiskStorage.Variant, key: String, in storage: DiskStorage.Core, isolation: DecodeSandbox
    ) {
        let info = storage.start(of: variant).flatMap { start in
            try? DecodeResources().codecs.info(
                of: start.span.bytes, limits: DecodeLimits(sandbox: isolation))
        }
        self.init(
            key: key, processorIdentifier: variant.identifier, cacheType: .disk, byteCount: variant.size,
            pixelSize: info?.uprightSize, expiration: variant.expiry, fileURL: storage.url(of: variant.name),
            forcedExtension: variant.forcedExtension)
    }

    init(_ image: KFCrossPlatformImage, identifier: String, cost: Int, expiry: Date, key: String) {
        self.init(
            key: key, processorIdentifier: identifier, cacheType: .memory, byteCount: cost,
            pixelSize: image.pixelSize, expiration: expiry == .distantFuture ? nil : expiry, fileURL: nil,
            forcedExtension: nil)
    }
}

extension ImageVariant {
    /// Whether a processor's image looks as the original does, at another size at most.
    static func looksLikeOriginal(_ identifier: String?) -> Bool {
        guard let identifier, !identifier.isEmpty else { return identifier != nil }
        let sizing = ["DownsamplingImageProcessor(", "ResizingImageProcessor("]
        return !identifier.contains("|>")
            && sizing.contains { identifier.hasPrefix("com.onevcat.Kingfisher." + $0) }
    }
}

extension Array {
    /// Those that look as their original first, because of equally good sizes the first is taken.
    func plainFirst(_ identifier: (Element) -> String?) -> [Element] {
        let plain = map { ImageVariant.looksLikeOriginal(identifier($0)) }
        return zip(self, plain).filter(\.1).map(\.0) + zip(self, plain).filter { !$0.1 }.map(\.0)
    }
}

extension PixelSize {
    /// Larger than any image.
    static var unlimited: PixelSize { PixelSize(width: .max, height: .max) }

    /// The position of the best of `sizes` to show at this size: the smallest that is as wide and as high, else the largest.
    ///
    /// - Returns: the first of several that are equally good; nil if there is no size.
    func bestIndex(of sizes: [PixelSize?]) -> Int? {
        let known = sizes.indices.compactMap { index in sizes[index].map { (index: index, size: $0) } }
        let covering = known.filter { $0.size.width >= width && $0.size.height >= height }
        return covering.min { $0.size.area < $1.size.area }?.index
            ?? known.max { $0.size.area < $1.size.area }?.index
    }
}
