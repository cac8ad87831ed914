import Foundation

extension ImageLoad {
    /// Stores what was loaded, as the options want it, and delivers it.
    func store(_ loaded: ImageLoadingResult, from source: Source) {
        let deliver: @Sendable () -> Void = { [self] in
            finish(loaded.image, cacheType: .none, source: source, metrics: loaded.metrics) {
                loaded.originalData
            }
        }
        let storesOriginal = options.cacheOriginalImage && !options.processor.identifier.isEmpty
        let stored = Countdown(from: storesOriginal ? 2 : 1) { [waits = options.waitForCache] in
            if waits { deliver() }
        }
        options.targetCache?.store(
            loaded.image,
            original: loaded.originalData,
            forKey: source.cacheKey,
            options: options,
            toDisk: !options.cacheMemoryOnly
        ) { _ in stored.step() }
        if storesOriginal {
            options.originalCache?.storeToDisk(
                loaded.originalData,
                forKey: source.cacheKey,
                processorIdentifier: DefaultImageProcessor.default.identifier,
                expiration: options.diskCacheExpiration,
                callbackQueue: .untouch
            ) { _ in stored.step() }
        }
        if !options.waitForCache { deliver() }
    }

    /// Stores what was made of a cached original; calls `then` at once, or when it is stored.
    func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        then: @escaping @Sendable () -> Void
    ) {
        let waits = options.waitForCache
        options.targetCache?.store(
            image,
            original: original,
            forKey: source.cacheKey,
            options: options,
            toDisk: !options.cacheMemoryOnly
        ) { _ in if waits { then() } }
        if !waits { then() }
    }
}
