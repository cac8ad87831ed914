import AlcedoLocks
import Foundation

extension ImageLoad {
    /// Stores a loaded image.
    ///
    /// It is stored even if the view loads another image by now, but not if the load was cancelled.
    nonisolated(nonsending) func store(
        _ loaded: LoadedSource, of attempt: LoadAttempt
    ) async throws(KingfisherError) -> LoadDelivery {
        guard !handle.isCancelled else { throw cancellation }
        await storing { startStores(of: loaded, from: attempt.source, then: $0) }
        guard let bytes = loaded.data else {
            return LoadDelivery(loaded.loading.image, .none, in: self, of: loaded.loading)
        }
        return LoadDelivery(loaded.loading.image, .none, of: loaded.loading) { bytes }
    }

    @inline(never) private func startStores(
        of loaded: LoadedSource, from source: Source, then stored: (@Sendable () -> Void)?
    ) {
        let loading = loaded.loading
        let all = stored.map { Countdown(from: loaded.data != nil && storesOriginal ? 2 : 1, then: $0) }
        guard let bytes = loaded.data else {
            return storeInTarget(loading.image, original: nil, source: source, then: all)
        }
        var record: ResponseRecord?
        if respectsFreshness(of: source), !options.writeLayers.isDisjoint(with: [.memory, .disk]) {
            switch adopt(loading, from: source) {
            case .adopted(let adopted): record = adopted
            case .unknown: break
            case .forbidden:
                reportForbiddenStore(of: source)
                stored?()
                return
            }
        }
        storeInTarget(
            loading.image, original: bytes, source: source, madeOf: record,
            unless: isReplaced(record, of: source, in: options.targetCache),
            sharing: share(loading, from: source, madeOf: record), then: all)
        if storesOriginal { storeOriginal(bytes, of: source, madeOf: record, then: all) }
    }

    /// Stores an image that was processed from a cached one, whose bytes may be nil.
    nonisolated(nonsending) func store(
        _ processed: KFCrossPlatformImage, processedFrom bytes: Data?, of attempt: LoadAttempt,
        unless isChanged: @escaping @Sendable () -> Bool
    ) async -> LoadDelivery {
        let (record, isSuperseded) = adoptCached(attempt, unless: isChanged)
        await storing { stored in
            storeInTarget(
                processed, original: bytes, source: attempt.source, madeOf: record, unless: isSuperseded,
                then: stored.map { Countdown(from: 1, then: $0) })
        }
        return LoadDelivery(processed, .none, in: self, processedFrom: bytes)
    }

    /// Starts stores, and with `waitForCache` waits until they call back.
    @inline(__always) nonisolated(nonsending) func storing(_ start: ((@Sendable () -> Void)?) -> Void) async {
        guard options.waitForCache else { return start(nil) }
        // A cache that drops its completion ends the wait, too.
        try? await callback { then in start { then(()) } }
    }

    /// Reports that the caches have no image, because the response must not be stored.
    func reportForbiddenStore(of source: Source) {
        let error = KingfisherError.cacheError(reason: .storingForbidden(key: source.cacheKey))
        context.stored?(
            CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: .failure(error)))
    }

    /// Whether to store originals beside processed images.
    var storesOriginal: Bool {
        options.cacheOriginalImage && !options.processor.identifier.isEmpty
            && options.writeLayers.contains(.disk)
    }

    /// Whether another response has replaced `record` meanwhile, so that its images must not be stored.
    func isReplaced(
        _ record: ResponseRecord?, of source: Source, in cache: ImageCache?
    ) -> (@Sendable () -> Bool)? {
        guard let record, let cache else { return nil }
        return { !cache.hasResponse(record, forKey: source.cacheKey) }
    }

    /// Stores the original on disk, then steps the countdown.
    ///
    /// Without a record, `isSuperseded` prevents the store.
    @inline(never) func storeOriginal(
        _ data: Data, of source: Source, madeOf record: ResponseRecord?,
        unless isSuperseded: (@Sendable () -> Bool)? = nil, then stored: Countdown?
    ) {
        guard let cache = options.originalCache else {
            stored?.step()
            return
        }
        var options = options
        options.forcedExtension = nil
        options.storeConditions = conditions(
            of: record, unless: isReplaced(record, of: source, in: cache) ?? isSuperseded)
        cache.storeBytes(data, forKey: source.cacheKey, options: options) { _ in stored?.step() }
    }

    /// Stores the processed image, then steps the countdown.
    @inline(never) func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        madeOf record: ResponseRecord? = nil,
        unless isSuperseded: (@Sendable () -> Bool)? = nil,
        sharing share: (@Sendable (Data) -> Void)? = nil,
        then stored: Countdown?
    ) {
        guard let cache = options.targetCache else {
            stored?.step()
            return
        }
        events?.send(.storing(bytes: original?.count))
        var options = options
        options.storeConditions = conditions(of: record, unless: isSuperseded, sharing: share)
        options.callbackQueue = .untouch
        let report = context.stored
        let completion = stored.map { stored in
            { @Sendable (result: CacheStoreResult) in
                report?(result)
                stored.step()
            }
        }
        if context.storesOnlyBytes, let bytes = original ?? image.encoded?.data {
            cache.storeBytes(bytes, forKey: source.cacheKey, options: options) { result in
                completion?(result)
            }
        } else {
            cache.store(
                image, original: original, forKey: source.cacheKey, options: options,
                toDisk: options.writesImageToDisk, completionHandler: completion)
        }
    }

    private func conditions(
        of record: ResponseRecord?, unless isSuperseded: (@Sendable () -> Bool)?,
        sharing share: (@Sendable (Data) -> Void)? = nil
    ) -> StoreConditions {
        StoreConditions(
            isSuperseded: isSuperseded, isOptional: !options.waitForCache, keepsResponse: record != nil,
            encoded: share, backpressure: options.downloader?.backpressure)
    }
}
