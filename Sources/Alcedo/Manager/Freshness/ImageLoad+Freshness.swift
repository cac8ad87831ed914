import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

// Decides whether a load may use a cached image, by the response that it was made of.

extension ImageLoad {
    func respectsFreshness(of source: Source) -> Bool { options.respectsFreshness(of: source) }

    /// Whether an image in memory may be used at once, without a look at the disk or at the request.
    func isUsableInMemory(_ source: Source) -> Bool {
        guard respectsFreshness(of: source) else { return true }
        guard let cache = options.targetCache, let record = cache.responses[source.cacheKey],
            record.response.varying.isEmpty, let request = plainRequest(for: source)
        else { return false }
        let now = cache.diskStorage.now()
        var freshness = LoadFreshness(record: record)
        if !record.isFresh(for: request, at: now) {
            guard mayRevalidateLater(record, for: request, at: now) else { return false }
            (freshness.isStale, freshness.revalidatesLater) = (true, source)
        }
        state.withLock { $0.freshness = freshness }
        return true
    }

    /// Whether to use stale images at once, and to revalidate them in the background.
    private func mayRevalidateLater(
        _ record: ResponseRecord, for request: TransportRequest, at now: Date
    ) -> Bool {
        options.reads(.network) && !options.context.revalidatesFirst
            && record.mayBeUsedWhileRevalidating(for: request, at: now)
    }

    /// Calls `use`, which delivers an image of `cache`, if the image is fresh; otherwise revalidates it before.
    func useIfFresh(_ source: Source, in cache: ImageCache, _ use: @escaping @Sendable () -> Void) {
        cache.findResponse(forKey: source.cacheKey, options: options) { [self] record in
            guard isCurrent(source) else { return }
            compare(record, of: source) { [self] request in
                guard isCurrent(source) else { return }
                decide(
                    LoadFreshness.Fallback(cache: cache, record: record, use: use), for: request, source)
            }
        }
    }

    /// Finds the request that the load would send, for a record whose response varies; nil if the response does not match.
    private func compare(
        _ record: ResponseRecord?, of source: Source,
        then: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        guard let plain = plainRequest(for: source) else { return then(nil) }
        guard let record, !record.response.varying.isEmpty else { return then(plain) }
        let compareModified: @Sendable (URLRequest?) -> Void = { [self] modified in
            let request = modified.flatMap { plainRequest(for: source, modified: $0) }
            then(request.flatMap { record.response.matches($0) ? $0 : nil })
        }
        guard let modifier = options.requestModifier, let downloader = options.downloader,
            let url = source.url
        else { return then(record.response.matches(plain) ? plain : nil) }
        let request = downloader.plainRequest(for: url)
        if readsSynchronously, let modifier = modifier as? any ImageDownloadRequestModifier {
            return compareModified(modifier.modified(for: request))
        }
        Task(executorPreference: ProgramThreads.starts) {
            let modified = await modifier.modified(for: request)
            WorkerPool.shared.submit { compareModified(modified) }
        }
    }

    /// The request with what decides about freshness: its headers.
    private func plainRequest(for source: Source, modified: URLRequest? = nil) -> TransportRequest? {
        guard let url = source.url, let downloader = options.downloader else { return nil }
        if let modified {
            return downloader.transportRequest(for: url, request: modified, options: options)
        }
        return TransportRequest(url: url.absoluteString) { $0.headers = downloader.session.headers }
    }

    /// Uses a fresh image, revalidates a stale one, and loads the source if `request` is nil: it has no image here.
    private func decide(
        _ cached: LoadFreshness.Fallback, for request: TransportRequest?, _ source: Source
    ) {
        guard let request else { return loadAfterMiss(source) }
        let isFresh = cached.record?.isFresh(for: request, at: cached.cache.diskStorage.now()) ?? false
        if isFresh || !options.reads(.network) { return use(cached, isStale: !isFresh, isRevalidated: false) }
        if let record = cached.record,
            mayRevalidateLater(record, for: request, at: cached.cache.diskStorage.now())
        {
            use(cached, isStale: true, isRevalidated: false, revalidatesLater: source)
            return
        }
        state.withLock { state in
            state.freshness.fallback = cached
            state.freshness.revalidation = cached.record.map(Revalidation.init)
        }
        load(source)
    }

    /// Delivers a cached image, and releases what the revalidation needed.
    private func use(
        _ cached: LoadFreshness.Fallback, isStale: Bool, isRevalidated: Bool = true,
        revalidatesLater: Source? = nil
    ) {
        let freshness = LoadFreshness(
            record: cached.record, isStale: isStale, revalidatesLater: revalidatesLater,
            isRevalidated: isRevalidated)
        let old = state.withLock { exchange(&$0.freshness, with: freshness) }
        withExtendedLifetime(old) {}
        cached.use()
    }

    // MARK: - After a miss

    /// Loads the source after a miss, and keeps its other variants if the response has the same bytes.
    func loadAfterMiss(_ source: Source) {
        guard options.reads(.network) else {
            return tryAlternative(
                after: .cacheError(reason: .imageNotExisting(key: source.cacheKey)), to: source)
        }
        guard respectsFreshness(of: source), let cache = options.targetCache else { return load(source) }
        // Brings the record of the other variants into memory.
        cache.findResponse(forKey: source.cacheKey, options: options) { [self] _ in load(source) }
    }

    // MARK: - After a revalidation

    /// Delivers the cached image if the server has confirmed it; false if the transfer failed otherwise.
    func useConfirmed(after error: KingfisherError, of source: Source) -> Bool {
        error.hasStatus(304) && useConfirmed(source)
    }

    /// Delivers the cached image if the server has confirmed it.
    func useConfirmed(_ source: Source) -> Bool {
        let (revalidation, cached) = state.withLock {
            ($0.freshness.revalidation.take(), $0.freshness.fallback)
        }
        guard let revalidation, let cached, let update = revalidation.update else { return false }
        guard !handle.isCancelled else {
            finish(.failure(cancellation))
            return true
        }
        let record: ResponseRecord
        switch update {
        case .mismatched:
            load(source)
            return true
        case .confirmed(let updated):
            record = updated
            for cache in caches { cache.update(updated, forKey: source.cacheKey, options: options) }
        case .forbidden(let updated):
            record = updated
            for cache in caches { cache.removeImages(forKey: source.cacheKey) }
            reportForbiddenStore(of: source)
        }
        use(LoadFreshness.Fallback(cache: cached.cache, record: record, use: cached.use), isStale: false)
        return true
    }

    /// Delivers the stale image if the server has failed and allows that; false if there is none.
    func useStale(after error: KingfisherError, of source: Source) -> Bool {
        guard let cached = state.withLock({ $0.freshness.fallback }) else { return false }
        if error.isServerFailure,
            cached.record?.mayBeUsedOnError(at: cached.cache.diskStorage.now()) ?? true
        {
            use(cached, isStale: true)
            return true
        }
        if error.hasStatus(404, 410) {
            for cache in caches { cache.removeImages(forKey: source.cacheKey) }
        }
        let old = state.withLock { exchange(&$0.freshness, with: LoadFreshness()) }
        withExtendedLifetime(old) {}
        return false
    }

    /// The caches of the load.
    private var caches: [ImageCache] {
        guard let target = options.targetCache else { return [] }
        guard let original = options.originalCache, original !== target else { return [target] }
        return [target, original]
    }

    // MARK: - Store

    /// Replaces the images of the source's former response in the caches.
    func adopt(_ loaded: ImageLoadingResult, from source: Source) -> LoadFreshness.Adoption {
        let key = source.cacheKey
        guard let fetched = loaded.fetched else {
            for cache in caches { cache.removeImages(forKey: key) }
            return .unknown
        }
        guard let record = ResponseRecord(fetched, body: loaded.originalData) else {
            for cache in caches { cache.removeImages(forKey: key) }
            return .forbidden
        }
        for cache in caches {
            if cache === options.targetCache || storesOriginal {
                let toDisk = options.writesImageToDisk || storesOriginal && cache === options.originalCache
                cache.adopt(record, forKey: key, options: options, toDisk: toDisk)
            } else {
                cache.removeImages(forKey: key, madeOfOtherThan: record, options: options)
            }
        }
        return .adopted(record)
    }

    /// Brings the response of a cached original into a target cache of its own.
    ///
    /// - Returns: the response, and whether it was replaced or removed meanwhile.
    func adoptCached(
        _ source: Source, unless isRemoved: @escaping @Sendable () -> Bool
    ) -> (record: ResponseRecord?, isSuperseded: @Sendable () -> Bool) {
        let (key, record) = (source.cacheKey, state.withLock { $0.freshness.record })
        guard let record, let target = options.targetCache, target !== options.originalCache, !isRemoved()
        else { return (record, isRemoved) }
        target.adopt(record, forKey: key, options: options, toDisk: options.writesImageToDisk)
        return (record, { !target.hasResponse(record, forKey: key) })
    }
}
