import Foundation

extension ImageLoad {
    /// Stores what was loaded, as the options want it, and delivers it.
    ///
    /// What was downloaded is stored though a view may want another image by now, but not once the load is cancelled.
    func store(_ loaded: ImageLoadingResult, from source: Source) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        let handOver: @Sendable () -> Void = { [self] in
            deliver(loaded.image, cacheType: .none, source: source, metrics: loaded.metrics) {
                loaded.originalData
            }
        }
        let storesOriginal = options.cacheOriginalImage && !options.processor.identifier.isEmpty
        let stored = options.waitForCache ? Countdown(from: storesOriginal ? 2 : 1, then: handOver) : nil
        storeInTarget(loaded.image, original: loaded.originalData, source: source, then: stored)
        if storesOriginal { storeOriginal(loaded.originalData, of: source, then: stored) }
        if stored == nil { handOver() }
    }

    /// Stores the unprocessed image on disk; takes a step of the countdown once the disk has it.
    private func storeOriginal(_ data: Data, of source: Source, then stored: Countdown?) {
        guard let cache = options.originalCache else {
            stored?.step()
            return
        }
        var options = options
        options.isStoreOptional = !options.waitForCache
        cache.storeOriginal(data, forKey: source.cacheKey, options: options) { _ in stored?.step() }
    }

    /// Stores the processed image; takes a step of the countdown once the disk has it.
    func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        unless isOutOfDate: (@Sendable () -> Bool)? = nil,
        then stored: Countdown?
    ) {
        var options = options
        options.isOutOfDate = isOutOfDate
        options.isStoreOptional = !options.waitForCache
        options.callbackQueue = .untouch
        options.targetCache?.store(
            image,
            original: original,
            forKey: source.cacheKey,
            options: options,
            toDisk: !options.cacheMemoryOnly,
            completionHandler: stored.map { stored in { @Sendable (_: CacheStoreResult) in stored.step() } }
        )
    }
}
