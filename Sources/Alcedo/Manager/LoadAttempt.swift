import Foundation

/// An attempt to load from one source; only the load's task uses it, so it needs no lock.
///
/// A class, because it passes through many asynchronous functions, which would each copy it.
final class LoadAttempt {
    let source: Source

    /// Whether something else has failed before: another source, or this one.
    var isReplacement = false

    /// Whether the network was constrained, so that the source for that case has been tried.
    var usesLowDataSource = false

    /// The processed image in memory, which was looked up before the attempt started.
    var memoryHit: KFCrossPlatformImage?

    /// What is known about the cached image that is delivered.
    var freshness = LoadFreshness()

    /// Whether an address policy has rejected what a loader put in the place of the source: a retry would not help.
    var isRejected = false

    /// The revalidation that the next transfer performs; nil for a request without conditions.
    var revalidation: Revalidation?

    /// What the retry strategy knows about the failures of this source.
    var retries: RetryContext?

    init(_ source: Source, isReplacement: Bool = false, usesLowDataSource: Bool = false) {
        self.source = source
        (self.isReplacement, self.usesLowDataSource) = (isReplacement, usesLowDataSource)
    }

    /// Whether the server has confirmed the cached image.
    var isConfirmed: Bool { revalidation?.update != nil }

    /// The server's confirmation of the cached image, once; nil if there is none.
    func takeUpdate() -> ResponseRecord.Update? {
        guard let update = revalidation?.update else { return nil }
        revalidation = nil
        return update
    }
}

/// An image to complete a load with.
///
/// A class for the same reason.
final class LoadDelivery: Sendable {
    let image: KFCrossPlatformImage
    let cacheType: CacheType

    /// Nil for that of ``cacheType``.
    let tier: CacheTier?

    /// What was downloaded for it; nil if nothing was.
    let loading: ImageLoadingResult?

    /// Whether the completion may run before the call that started the load has returned.
    let isSynchronous: Bool
    let data: @Sendable () -> Data?

    init(
        _ image: KFCrossPlatformImage, _ cacheType: CacheType, tier: CacheTier? = nil,
        of loading: ImageLoadingResult? = nil, isSynchronous: Bool = false,
        data: @escaping @Sendable () -> Data?
    ) {
        (self.image, self.cacheType, self.tier) = (image, cacheType, tier)
        (self.loading, self.isSynchronous, self.data) = (loading, isSynchronous, data)
    }

    /// An image whose bytes, if they are wanted, the load's serializer creates, from `bytes` if there are any.
    convenience init(
        _ image: KFCrossPlatformImage, _ type: CacheType, in load: ImageLoad,
        processedFrom bytes: Data? = nil,
        of loading: ImageLoadingResult? = nil, isSynchronous: Bool = false
    ) {
        self.init(image, type, of: loading, isSynchronous: isSynchronous) {
            [serializer = load.options.cacheSerializer] in serializer.data(with: image, original: bytes)
        }
    }
}
