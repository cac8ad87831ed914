public import Foundation

/// The result of a load.
public struct RetrieveImageResult: Sendable {
    public let image: KFCrossPlatformImage

    /// The cache that had the image; `.none` if it was loaded or processed, `.disk` if the shared cache had it.
    public let cacheType: CacheType

    /// The tier that had the image: as ``cacheType``, but `.shared` for the shared cache.
    public let tier: CacheTier

    /// The source it was loaded from: that of the call, or an alternative.
    public let source: Source

    /// The source of the call.
    public internal(set) var originalSource: Source

    /// The loaded bytes; for a cache hit, the image encoded by the cache serializer.
    public let data: @Sendable () -> Data?

    /// The download's metrics; nil if there was none.
    public let metrics: NetworkMetrics?

    /// The head of the response that the image was created from; nil if there was none, as for a file, or it is unknown.
    ///
    /// A cached image's is known only with ``HTTPFreshness/respected`` or ``HTTPFreshness/revalidated``.
    public let response: ResponseMetadata?

    /// Whether the server could not confirm the image, which is older than it allows, or had to be confirmed.
    ///
    /// Always false without ``HTTPFreshness/respected`` or ``HTTPFreshness/revalidated``.
    public let isStale: Bool

    /// The response as the transfer received it, for the load that this one is a pass of.
    var fetched: FetchedResponse?

    /// Revalidates the stale image for the load that this one is a pass of, after its completion.
    var revalidation: (@Sendable (ImageLoad) -> Void)?

    /// Creates a result; without a `tier` it is that of `cacheType`.
    public init(
        image: KFCrossPlatformImage,
        cacheType: CacheType,
        source: Source,
        originalSource: Source,
        data: @escaping @Sendable () -> Data?,
        metrics: NetworkMetrics? = nil,
        response: ResponseMetadata? = nil,
        isStale: Bool = false,
        tier: CacheTier? = nil
    ) {
        self.image = image
        self.cacheType = cacheType
        self.tier = tier ?? CacheTier(cacheType)
        self.source = source
        self.originalSource = originalSource
        self.data = data
        self.metrics = metrics
        self.response = response
        self.isStale = isStale
    }
}
