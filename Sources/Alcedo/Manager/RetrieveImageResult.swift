public import Foundation

/// The result of a load.
public struct RetrieveImageResult: Sendable {
    /// The image.
    public let image: KFCrossPlatformImage

    /// The cache that had the image; `.none` if it was loaded or processed.
    public let cacheType: CacheType

    /// The source it was loaded from: that of the call, or an alternative.
    public let source: Source

    /// The source of the call.
    public let originalSource: Source

    /// The loaded bytes; for a cache hit, the image encoded by the cache serializer.
    public let data: @Sendable () -> Data?

    /// The download's metrics; nil if there was none.
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
