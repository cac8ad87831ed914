import Foundation

extension ImageLoad {
    /// Stores and delivers a loaded image.
    ///
    /// It is stored even if the view loads another image by now, but not if the load was cancelled.
    func store(_ loaded: ImageLoadingResult, from source: Source) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        let deliverImage: @Sendable () -> Void = { [self] in
            deliver(loaded.image, cacheType: .none, source: source, metrics: loaded.metrics) {
                loaded.originalData
            }
        }
        let storesOriginal =
            options.cacheOriginalImage && !options.processor.identifier.isEmpty
            && options.writeLayers.contains(.disk)
        let stored = options.waitForCache ? Countdown(from: storesOriginal ? 2 : 1, then: deliverImage) : nil
        storeInTarget(loaded.image, original: loaded.originalData, source: source, then: stored)
        if storesOriginal { storeOriginal(loaded.originalData, of: source, then: stored) }
        if stored == nil { deliverImage() }
    }

    /// Stores the original on disk, then steps the countdown.
    private func storeOriginal(_ data: Data, of source: Source, then stored: Countdown?) {
        guard let cache = options.originalCache else {
            stored?.step()
            return
        }
        var options = options
        options.forcedExtension = nil
        options.context.isStoreOptional = !options.waitForCache
        cache.storeBytes(data, forKey: source.cacheKey, options: options) { _ in stored?.step() }
    }

    /// Stores the processed image, then steps the countdown.
    func storeInTarget(
        _ image: KFCrossPlatformImage,
        original: Data?,
        source: Source,
        unless isSuperseded: (@Sendable () -> Bool)? = nil,
        then stored: Countdown?
    ) {
        if options.targetCache != nil { options.context.events?.send(.storing(bytes: original?.count)) }
        var options = options
        options.context.isSuperseded = isSuperseded
        options.context.isStoreOptional = !options.waitForCache
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
