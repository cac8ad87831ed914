import Foundation

extension ImageLoad {
    /// Stores what was loaded, as the options want it, and delivers it.
    func store(_ loaded: ImageLoadingResult, from source: Source) {
        let handOver: @Sendable () -> Void = { [self] in
            deliver(loaded.image, cacheType: .none, source: source, metrics: loaded.metrics) {
                loaded.originalData
            }
        }
        let storesOriginal = options.cacheOriginalImage && !options.processor.identifier.isEmpty
        let stored = options.waitForCache ? Countdown(from: storesOriginal ? 2 : 1, then: handOver) : nil
        storeInTarget(loaded.image, original: loaded.originalData, source: source, then: stored)
        if storesOriginal {
            let held = options.downloader?.backlog?.hold(loaded.originalData.count)
            options.originalCache?.storeToDisk(
                loaded.originalData,
                forKey: source.cacheKey,
                processorIdentifier: DefaultImageProcessor.default.identifier,
                expiration: options.diskCacheExpiration,
                callbackQueue: .untouch,
                completionHandler: { _ in
                    held?.release()
                    stored?.step()
                }
            )
        }
        if stored == nil { handOver() }
    }

    /// Stores the processed image; takes a step of the countdown once the disk has it.
    func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        then stored: Countdown?
    ) {
        var options = options
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
