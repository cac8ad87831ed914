public import Foundation

/// A loaded image and where it came from.
public struct RetrieveImageResult: Sendable {
    /// The image.
    public let image: KFCrossPlatformImage

    /// The cache that had it; `.none` if it was loaded or processed anew.
    public let cacheType: CacheType

    /// What it was loaded from: the source asked for, or an alternative.
    public let source: Source

    /// What was asked for first.
    public let originalSource: Source

    /// The bytes: those that were loaded, or for a cache hit what the serializer makes of the image.
    public let data: @Sendable () -> Data?

    /// How the download went; nil if there was none.
    public let metrics: NetworkMetrics?

    /// Makes a result.
    public init(
        image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        data: @escaping @Sendable () -> Data?,
        metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.data = data
        self.metrics = metrics
    }
}
