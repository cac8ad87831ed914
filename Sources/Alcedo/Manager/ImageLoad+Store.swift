import Foundation

extension ImageLoad {
    /// Stores and delivers a loaded image.
    ///
    /// It is stored even if the view loads another image by now, but not if the load was cancelled.
    func store(_ loaded: ImageLoadingResult, from source: Source) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        let deliverImage: @Sendable () -> Void = { [self] in
            deliver(
                loaded.image, cacheType: .none, source: source, metrics: loaded.metrics,
                fetched: loaded.fetched, keeping: loaded.originalData.count
            ) { loaded.originalData }
        }
        var record: ResponseRecord?
        if respectsFreshness(of: source), !options.writeLayers.isDisjoint(with: [.memory, .disk]) {
            switch adopt(loaded, from: source) {
            case .adopted(let adopted): record = adopted
            case .unknown: break
            case .forbidden:
                reportForbiddenStore(of: source)
                return deliverImage()
            }
        }
        let stored = options.waitForCache ? Countdown(from: storesOriginal ? 2 : 1, then: deliverImage) : nil
        storeInTarget(
            loaded.image, original: loaded.originalData, source: source, madeOf: record,
            unless: isReplaced(record, of: source, in: options.targetCache),
            sharing: share(loaded, from: source, madeOf: record), then: stored)
        if storesOriginal { storeOriginal(loaded.originalData, of: source, madeOf: record, then: stored) }
        if stored == nil { deliverImage() }
    }

    /// Reports that the caches have no image, because the response must not be stored.
    func reportForbiddenStore(of source: Source) {
        let error = KingfisherError.cacheError(reason: .storingForbidden(key: source.cacheKey))
        options.context.stored?(
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
    func storeOriginal(
        _ data: Data, of source: Source, madeOf record: ResponseRecord?,
        unless isSuperseded: (@Sendable () -> Bool)? = nil, then stored: Countdown?
    ) {
        guard let cache = options.originalCache else {
            stored?.step()
            return
        }
        var options = options
        options.forcedExtension = nil
        options.context.isStoreOptional = !options.waitForCache
        options.context.keepsResponse = record != nil
        options.context.isSuperseded = isReplaced(record, of: source, in: cache) ?? isSuperseded
        cache.storeBytes(data, forKey: source.cacheKey, options: options) { _ in stored?.step() }
    }

    /// Stores the processed image, then steps the countdown.
    func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        madeOf record: ResponseRecord? = nil,
        unless isSuperseded: (@Sendable () -> Bool)? = nil,
        sharing share: (@Sendable (Data) -> Void)? = nil,
        then stored: Countdown?
    ) {
        if options.targetCache != nil { options.context.events?.send(.storing(bytes: original?.count)) }
        var options = options
        options.context.isSuperseded = isSuperseded
        options.context.encoded = share
        options.context.isStoreOptional = !options.waitForCache
        options.context.keepsResponse = record != nil
        options.callbackQueue = .untouch
        let report = options.context.stored
        let completion = stored.map { stored in
            { @Sendable (result: CacheStoreResult) in
                report?(result)
                stored.step()
            }
        }
        if options.context.storesOnlyBytes, let bytes = original ?? image.encoded?.data {
            options.targetCache?.storeBytes(bytes, forKey: source.cacheKey, options: options) { result in
                completion?(result)
            }
        } else {
            options.targetCache?.store(
                image, original: original, forKey: source.cacheKey, options: options,
                toDisk: options.writesImageToDisk, completionHandler: completion)
        }
    }
}
