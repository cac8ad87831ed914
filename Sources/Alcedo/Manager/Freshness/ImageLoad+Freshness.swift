import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

// Decides whether a load may use a cached image, by the response that it was created from.

extension ImageLoad {
    func respectsFreshness(of source: Source) -> Bool { options.respectsFreshness(of: source) }

    /// What is known about an image in memory that may be used at once, without reading the disk or the request; nil if it
    /// may not.
    func freshnessInMemory(of source: Source) -> LoadFreshness? {
        guard respectsFreshness(of: source) else { return LoadFreshness() }
        guard !options.revalidatesFreshImages, let cache = options.targetCache,
            let record = cache.responses[source.cacheKey], record.response.varying.isEmpty,
            let request = plainRequest(for: source)
        else { return nil }
        let now = cache.diskStorage.now()
        if record.isFresh(for: request, at: now) { return LoadFreshness(record: record) }
        guard mayRevalidateLater(record, for: request, at: now) else { return nil }
        return LoadFreshness(record: record, isStale: true, revalidatesLater: source)
    }

    /// Whether to use stale images at once, and to revalidate them in the background.
    private func mayRevalidateLater(
        _ record: ResponseRecord, for request: TransportRequest, at now: Date
    ) -> Bool {
        options.reads(.network) && !options.revalidatesFreshImages && !context.revalidatesFirst
            && record.mayBeUsedWhileRevalidating(for: request, at: now)
    }

    /// Whether an image of `cache` may be delivered; if so, the attempt gets what is known about it.
    nonisolated(nonsending) func freshness(
        of attempt: LoadAttempt, in cache: ImageCache
    ) async throws(KingfisherError) -> FreshnessDecision {
        let source = attempt.source
        let record = try await callback {
            cache.findResponse(forKey: source.cacheKey, options: options, then: $0)
        }
        try checkCurrent()
        guard let request = await request(matching: record, of: attempt) else { return .mismatched }
        try checkCurrent()
        let now = cache.diskStorage.now()
        let isFresh = record?.isFresh(for: request, at: now) ?? false
        if isFresh && !options.revalidatesFreshImages || !options.reads(.network) {
            attempt.freshness = LoadFreshness(record: record, isStale: !isFresh)
            return .usable
        }
        if let record, mayRevalidateLater(record, for: request, at: now) {
            attempt.freshness = LoadFreshness(record: record, isStale: true, revalidatesLater: source)
            return .usable
        }
        return .needsRevalidation(record)
    }

    /// The request that the load would send; nil if a record whose response varies does not match it.
    private nonisolated(nonsending) func request(
        matching record: ResponseRecord?, of attempt: LoadAttempt
    ) async -> TransportRequest? {
        let source = attempt.source
        guard let plain = plainRequest(for: source) else { return nil }
        guard let record, !record.response.varying.isEmpty else { return plain }
        guard let modifier = options.requestModifier, let downloader = options.downloader,
            let url = source.url
        else { return record.response.matches(plain) ? plain : nil }
        let unmodified = downloader.plainRequest(for: url)
        let modified: URLRequest?
        if readsSynchronously(attempt), let modifier = modifier as? any ImageDownloadRequestModifier {
            // On this thread, where the whole load runs; the closure's type picks the synchronous method.
            let modify: (URLRequest) -> URLRequest? = modifier.modified(for:)
            modified = modify(unmodified)
        } else {
            modified = await withTaskExecutorPreference(ProgramThreads.starts) {
                await modifier.modified(for: unmodified)
            }
        }
        let request = modified.flatMap { plainRequest(for: source, modified: $0) }
        return request.flatMap { record.response.matches($0) ? $0 : nil }
    }

    /// The request with what decides about freshness: its headers.
    private func plainRequest(for source: Source, modified: URLRequest? = nil) -> TransportRequest? {
        guard let url = source.url, let downloader = options.downloader else { return nil }
        if let modified {
            return downloader.transportRequest(for: url, request: modified, options: options)
        }
        return TransportRequest(url: url) { $0.headers = downloader.session.headers }
    }

    // MARK: - After a revalidation

    /// Delivers the cached image that the server has confirmed; nil if the source is to be loaded without conditions.
    nonisolated(nonsending) func confirmed(
        _ stale: StaleHit?, of attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadDelivery? {
        guard let stale, let update = attempt.takeUpdate() else { return nil }
        guard !handle.isCancelled else { throw cancellation }
        let key = attempt.source.cacheKey
        let record: ResponseRecord
        switch update {
        case .mismatched: return nil
        case .confirmed(let updated):
            record = updated
            for cache in caches { cache.update(updated, forKey: key, options: options) }
        case .forbidden(let updated):
            record = updated
            removeImages(ofKey: key)
            reportForbiddenStore(of: attempt.source)
        }
        attempt.freshness = LoadFreshness(record: record, isRevalidated: true)
        return try await delivery(stale.hit, attempt)
    }

    /// Delivers the stale image if the server has failed and allows that; nil if it does not.
    nonisolated(nonsending) func use(
        _ stale: StaleHit, after error: KingfisherError, of attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadDelivery? {
        let now = stale.cache.diskStorage.now()
        if error.isServerFailure,
            stale.record.map({ $0.mayBeUsedOnError(at: now) || isFresh($0, for: attempt, at: now) }) ?? true
        {
            attempt.freshness = LoadFreshness(record: stale.record, isStale: true, isRevalidated: true)
            return try await delivery(stale.hit, attempt)
        }
        if error.hasStatus(404, 410) {
            removeImages(ofKey: attempt.source.cacheKey)
        }
        return nil
    }

    /// Whether only the option requires a revalidation.
    private func isFresh(_ record: ResponseRecord, for attempt: LoadAttempt, at now: Date) -> Bool {
        plainRequest(for: attempt.source).map { record.isFresh(for: $0, at: now) } ?? false
    }

    /// Nil if the hit can't be used, so that the source is to be loaded.
    private nonisolated(nonsending) func delivery(
        _ hit: TierHit, _ attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadDelivery? {
        let use = try await hit.use(attempt)
        return if case .delivery(let delivery) = use { delivery } else { nil }
    }

    private func removeImages(ofKey key: String) {
        for cache in caches { cache.removeImages(forKey: key) }
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
        _ attempt: LoadAttempt, unless isRemoved: @escaping @Sendable () -> Bool
    ) -> (record: ResponseRecord?, isSuperseded: @Sendable () -> Bool) {
        let (key, record) = (attempt.source.cacheKey, attempt.freshness.record)
        guard let record, let target = options.targetCache, target !== options.originalCache, !isRemoved()
        else { return (record, isRemoved) }
        target.adopt(record, forKey: key, options: options, toDisk: options.writesImageToDisk)
        return (record, { !target.hasResponse(record, forKey: key) })
    }

    // MARK: - Revalidation in the background (RFC 5861, 3)

    /// Loads `source` again after a stale image was delivered, unless the load was cancelled; the result goes to the options'
    /// `revalidationHandler`.
    ///
    /// It does not depend on the view, which may load another image by then: the caches get the new one in any case.
    func revalidate(_ source: Source, with options: KingfisherParsedOptionsInfo) {
        guard !handle.isCancelled else { return }
        var options = options.forBackgroundLoad()
        options.callbackQueue = self.options.callbackQueue
        let load = ImageLoad(
            of: source, options: options, context: LoadContext(revalidatesFirst: true),
            activeLoads: activeLoads, completion: self.options.revalidationHandler)
        _ = load.start()
    }
}

extension KingfisherParsedOptionsInfo {
    /// For a load of one source after another has delivered, whose own callbacks are over.
    func forBackgroundLoad() -> Self {
        var options = self
        (options.isCurrent, options.revalidationHandler) = (nil, nil)
        (options.alternativeSources, options.lowDataModeSource) = (nil, nil)
        options.loadDiskFileSynchronously = false
        return options
    }
}

extension ResponseRecord {
    /// The record of a response with these bytes; nil if RFC 9111 forbids storing it.
    init?(_ fetched: FetchedResponse, body data: Data) {
        let head = StoredResponse(
            head: fetched.response, bodyBytes: data.count, to: fetched.request, requested: fetched.requested,
            received: fetched.received)
        guard var head else { return nil }
        // The transport decodes the body, so that the picture does not vary.
        head.varying["accept-encoding"] = nil
        self.init(
            head, body: BodyIdentity(data),
            redirectTarget: fetched.isRedirected ? Self.hash(fetched.response.url.absoluteString) : nil)
    }
}
