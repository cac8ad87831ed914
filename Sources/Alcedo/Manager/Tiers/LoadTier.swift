/// A cache that may have the image of a load, or an image that it can be processed from.
protocol LoadTier: Sendable {
    /// Whether the load looks there for a source.
    func serves(_ load: ImageLoad, _ source: Source) -> Bool

    /// What was found; nil if there is nothing that the load can use.
    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit?
}

/// What a load has found in a tier.
struct TierHit {
    /// The outcome of using a hit.
    enum Use {
        case delivery(LoadDelivery)

        /// It can't be used: the load continues with the next tier.
        case nothing

        /// Its bytes are damaged: the source is loaded.
        case damaged
    }

    /// The cache with the response that decides whether the image is fresh; nil if no cache has one.
    let cache: ImageCache?

    /// What was found, before it is processed.
    let image: KFCrossPlatformImage

    /// Processes what was found, and stores that where it belongs; called once the image is known to be fresh.
    let use: nonisolated(nonsending) (LoadAttempt) async throws(KingfisherError) -> Use
}

/// A stale cached image: delivered if the server responds with 304, or fails and its response allows that.
final class StaleHit {
    let hit: TierHit
    let cache: ImageCache

    /// Nil if the cache does not know the image's response.
    let record: ResponseRecord?

    init(_ hit: TierHit, in cache: ImageCache, _ record: ResponseRecord?) {
        (self.hit, self.cache, self.record) = (hit, cache, record)
    }
}

extension Revalidation {
    /// The revalidation of a cached image; nil if its response is unknown.
    convenience init?(_ stale: StaleHit) {
        guard let record = stale.record else { return nil }
        self.init(of: record, image: stale.hit.image)
    }
}

extension ImageLoad {
    /// What a cache has for a key, in memory or on disk.
    ///
    /// `adapt` changes the load's options to look for something else than the load's image. Only here, because options are
    /// large, and a task would keep a copy on the heap while it waits.
    nonisolated(nonsending) func look(
        in cache: ImageCache, forKey key: String,
        _ adapt: ((inout KingfisherParsedOptionsInfo) -> Void)? = nil
    ) async throws(KingfisherError) -> (image: KFCrossPlatformImage, type: CacheType)? {
        let result = try await callback { startLook(in: cache, forKey: key, adapt, then: $0) }
        try checkCurrent()
        // A disk that fails is a miss: the source may have the image.
        guard case .success(let found) = result, let image = found.image else { return nil }
        return (image, found.cacheType)
    }

    @inline(never) private func startLook(
        in cache: ImageCache, forKey key: String, _ adapt: ((inout KingfisherParsedOptionsInfo) -> Void)?,
        then: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) {
        guard let adapt else {
            return cache.retrieveImage(
                forKey: key, options: options, callbackQueue: .untouch, completionHandler: then)
        }
        var options = options
        adapt(&options)
        cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch, completionHandler: then)
    }

    /// Whether the disk is read on the calling thread, so that the completion runs there too.
    func readsSynchronously(_ attempt: LoadAttempt) -> Bool {
        options.loadDiskFileSynchronously && !attempt.isReplacement && attempt.revalidation == nil
            && !attempt.freshness.isRevalidated
    }
}

extension ImageLoad {
    /// Sends the event that the caches were looked up.
    func lookedUp(_ type: CacheType, isOriginal: Bool = false) {
        lookedUp(tier: CacheTier(type), isOriginal: isOriginal)
    }

    func lookedUp(tier: CacheTier, isOriginal: Bool = false) {
        events?.send(.cacheLookedUp(tier: tier, isOriginal: isOriginal))
    }
}
