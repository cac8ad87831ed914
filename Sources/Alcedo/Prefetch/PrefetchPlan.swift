import Foundation

/// How a prefetcher loads each source, and what it looks for to skip one.
struct PrefetchPlan: Sendable {
    let options: KingfisherParsedOptionsInfo
    private(set) var context = LoadContext()

    /// Whether bytes go to the disk as they are (``KingfisherParsedOptionsInfo/prefetchToDiskOnly``).
    let isForDiskOnly: Bool

    private let wanted: KingfisherParsedOptionsInfo

    init(_ options: KingfisherParsedOptionsInfo) {
        let wanted = options.reducing()
        self.wanted = wanted
        isForDiskOnly = wanted.prefetchToDiskOnly
        var options = wanted
        options.callbackQueue = .untouch
        context.download.completionMayBlock = false
        // A report means that the caches have the image, the new one if it was stale.
        options.waitForCache = true
        context.revalidatesFirst = true
        // As for the views that will show the images, whose loads may share the work.
        options.decodesReduced = true
        options.decodeLimits.allowGiants()
        options.add(KingfisherManager.shared.hooks)
        context.storesOnlyBytes = isForDiskOnly
        if isForDiskOnly { options.storeOnlyBytes() }
        self.options = options
    }

    enum Cached { case no, stale, usable }

    /// Finds out whether a source is cached, without blocking for the disk.
    func findCached(
        _ source: Source, callbackQueue: CallbackQueue, then: @escaping @Sendable (Cached) -> Void
    ) {
        findImage(source, callbackQueue: callbackQueue) { isCached in
            guard isCached, let cache = options.targetCache, source.isHTTP,
                case let freshness = options.httpFreshness ?? cache.httpFreshness, freshness != .ignored
            else { return then(isCached ? .usable : .no) }
            guard freshness == .respected else { return then(.stale) }
            cache.findFreshness(of: source, options: options) { isFresh in
                callbackQueue.execute { then(isFresh ? .usable : .stale) }
            }
        }
    }

    private func findImage(
        _ source: Source, callbackQueue: CallbackQueue, then: @escaping @Sendable (Bool) -> Void
    ) {
        guard let cache = wanted.targetCache else { return callbackQueue.execute { then(false) } }
        let (key, identifier) = (source.cacheKey, wanted.processor.identifier)
        let find = isForDiskOnly || !wanted.reads(.memory) ? cache.isOnDiskAsync : cache.isCachedAsync
        find(key, identifier, wanted.forcedExtension, callbackQueue) { isCached in
            guard !isCached, isForDiskOnly, !identifier.isEmpty, let cache = options.targetCache
            else { return then(isCached) }
            cache.isOnDiskAsync(key, "", options.forcedExtension, callbackQueue, then)
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Makes a load store the bytes of its source on disk, where a load with these options finds them, and nothing else.
    ///
    /// Headers are read, to store only images; pixels are not decoded.
    fileprivate mutating func storeOnlyBytes() {
        if !processor.identifier.isEmpty { targetCache = originalCache }
        processor = DefaultImageProcessor.default
        maximumDecodedPixels = nil
        colorRetention = .standard
        (backgroundDecode, preloadAllAnimationData, onlyLoadFirstFrame) = (false, false, false)
        (processingQueue, imageModifier) = (nil, nil)
        (cacheMemoryOnly, cacheOriginalImage, alsoPrefetchToMemory) = (false, false, false)
        readLayers.remove(.memory)
        writeLayers = .disk
        decodeLimits.allowAnyPixels()
        checksPixels = false
    }
}

extension DecodeLimits {
    /// Leaves the limits of what is read from headers, for an image that is not decoded.
    fileprivate mutating func allowAnyPixels() {
        // Products with the bytes of a pixel do not overflow.
        let any = 1 << 48
        (pixelsPerFrame, storedPixelsPerFrame, pixelsPerAnimation) = (any, any, any)
        (frames, progressiveScans) = (any, any)
    }
}

extension ImageCache {
    fileprivate func isCachedAsync(
        _ key: String, _ identifier: String, _ forcedExtension: String?, _ callbackQueue: CallbackQueue,
        _ then: @escaping @Sendable (Bool) -> Void
    ) {
        imageCachedTypeAsync(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            callbackQueue: callbackQueue
        ) { then($0.cached) }
    }

    /// Finds out whether the disk has an image; a stalled disk counts as a miss.
    fileprivate func isOnDiskAsync(
        _ key: String, _ identifier: String, _ forcedExtension: String?, _ callbackQueue: CallbackQueue,
        _ then: @escaping @Sendable (Bool) -> Void
    ) {
        reads.read { [self] in
            isOnDisk(forKey: key, identifier: identifier, forcedExtension: forcedExtension)
        } then: { result in
            let isOnDisk = (try? result.get()) ?? false
            callbackQueue.execute { then(isOnDisk) }
        }
    }
}
