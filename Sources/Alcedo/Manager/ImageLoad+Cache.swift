import AlcedoLocks
import Foundation

// Cache lookups of a load: the processed image in the target cache, then the original, which is processed and stored.
// On a miss the source is loaded. The disk is read on other threads, except with `loadDiskFileSynchronously`.

extension ImageLoad {
    /// The processed image in memory; nil if the load does not read memory.
    func imageInMemory(of source: Source) -> KFCrossPlatformImage? {
        options.reads(.memory)
            ? options.targetCache?.retrieveImageInMemoryCache(forKey: source.cacheKey, options: options) : nil
    }

    /// Delivers the processed image, or looks up the original; `hit` is the result of the memory lookup.
    func lookUpTarget(_ source: Source, hit: KFCrossPlatformImage?) {
        guard let cache = options.targetCache else { return lookUpFallback(source) }
        if let hit {
            lookedUp(.memory)
            return use(memoryHit: hit, in: cache, source: source)
        }
        guard options.reads(.disk) else { return lookUpFallback(source) }
        let key = source.cacheKey
        let snapshot = cache.generations.snapshot(forKey: key, identifier: options.processor.identifier)
        cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { [self] result in
            guard isCurrent(source) else { return }
            guard case .success(let found) = result, let image = found.image else {
                return lookUpFallback(source)
            }
            lookedUp(found.cacheType)
            if found.cacheType == .memory { return use(memoryHit: image, in: cache, source: source) }
            guard respectsFreshness(of: source) else {
                return deliver(diskHit: image, in: cache, source: source, since: snapshot)
            }
            useIfFresh(source, in: cache) { [self] in
                deliver(diskHit: image, in: cache, source: source, since: snapshot)
            }
        }
    }

    private func deliver(
        diskHit image: KFCrossPlatformImage, in cache: ImageCache, source: Source,
        since snapshot: CacheGenerations.Snapshot
    ) {
        guard options.hitNeedsProcessing else {
            return deliver(hit: image, cacheType: .disk, source: source, synchronously: readsSynchronously)
        }
        process(image, of: source) { [self] processed in
            cache.promote(processed, forKey: source.cacheKey, options: options, since: snapshot)
            deliver(hit: processed, cacheType: .disk, source: source)
        }
    }

    /// Delivers an image in memory, once it is fresh if the load respects that.
    func use(memoryHit image: KFCrossPlatformImage, in cache: ImageCache, source: Source) {
        guard respectsFreshness(of: source) else {
            return deliver(memoryHit: image, in: cache, source: source)
        }
        useIfFresh(source, in: cache) { [self] in deliver(memoryHit: image, in: cache, source: source) }
    }

    func deliver(
        hit image: KFCrossPlatformImage, cacheType: CacheType, source: Source, synchronously: Bool = false
    ) {
        deliver(image, cacheType: cacheType, source: source, synchronously: synchronously) { [options] in
            options.cacheSerializer.data(with: image, original: nil)
        }
    }

    private func deliver(memoryHit image: KFCrossPlatformImage, in cache: ImageCache, source: Source) {
        guard image.needsRemaking(for: options) else {
            return deliver(hit: image, cacheType: .memory, source: source)
        }
        options.process { [self] in
            guard isCurrent(source) else { return }
            let remade = image.remade(with: options)
            guard isCurrent(source) else { return }
            // Caches all frames, so that they are decoded once, but not a first frame alone.
            if let remade, !options.onlyLoadFirstFrame {
                cache.promote(remade, over: image, forKey: source.cacheKey, options: options)
            }
            deliver(hit: remade ?? image, cacheType: .memory, source: source)
        }
    }

    func lookUpOriginal(_ source: Source) {
        lookUpOriginal(source, in: options.cachesOfOriginals(for: source)[...])
    }

    /// Looks up the original in these caches, in order, and loads the source after a miss in all of them.
    private func lookUpOriginal(_ source: Source, in caches: ArraySlice<ImageCache>) {
        guard let cache = caches.first, let target = options.targetCache else { return loadIfAllowed(source) }
        let others = caches.dropFirst()
        let key = source.cacheKey
        let isSuperseded = target.isChanged(key, options.processor.identifier, madeOf: "", in: cache)
        var originalOptions = options
        originalOptions.processor = DefaultImageProcessor.default
        originalOptions.backgroundDecode = false
        originalOptions.callbackQueue = .untouch
        let use: @Sendable (KFCrossPlatformImage) -> Void = { [self] original in
            guard respectsFreshness(of: source) else {
                return process(original: original, of: source, unless: isSuperseded)
            }
            useIfFresh(source, in: cache) { [self] in
                process(original: original, of: source, unless: isSuperseded)
            }
        }
        if cache !== options.originalCache { originalOptions = originalOptions.withoutMemoryWrites }
        if options.reads(.memory),
            let original = cache.retrieveImageInMemoryCache(forKey: key, options: originalOptions)
        {
            lookedUp(.memory, isOriginal: true)
            return use(original)
        }
        guard options.reads(.disk) else { return lookUpOriginal(source, in: others) }
        readOriginal(of: source, in: cache, options: originalOptions) { [self] original in
            guard let original else { return lookUpOriginal(source, in: others) }
            lookedUp(.disk, isOriginal: true)
            use(original)
        }
    }

    /// Looks up an original with the forced extension, then without, which is how `cacheOriginalImage` stores it.
    private func readOriginal(
        of source: Source, in cache: ImageCache, options originalOptions: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (KFCrossPlatformImage?) -> Void
    ) {
        cache.retrieveImage(forKey: source.cacheKey, options: originalOptions, callbackQueue: .untouch) {
            [self] result in
            guard isCurrent(source) else { return }
            if case .success(let found) = result, let original = found.image { return then(original) }
            guard originalOptions.forcedExtension != nil else { return then(nil) }
            var options = originalOptions
            options.forcedExtension = nil
            readOriginal(of: source, in: cache, options: options, then: then)
        }
    }

    /// Processes an original, then stores and delivers the result; does not store it if a newer image was stored meanwhile, or
    /// if one of them was removed.
    private func process(
        original: KFCrossPlatformImage, of source: Source,
        unless isSuperseded: @escaping @Sendable () -> Bool
    ) {
        let bytes = original.encoded?.data
        process(original, of: source) { [self] processed in
            store(processed, madeOf: bytes, of: source, unless: isSuperseded)
        }
    }

    /// Stores and delivers an image that was made of a cached one, whose bytes may be nil.
    func store(
        _ processed: KFCrossPlatformImage, madeOf bytes: Data?, of source: Source,
        unless isChanged: @escaping @Sendable () -> Bool
    ) {
        let deliverImage: @Sendable () -> Void = { [self] in
            deliver(processed, cacheType: .none, source: source) { [options] in
                options.cacheSerializer.data(with: processed, original: bytes)
            }
        }
        let stored = options.waitForCache ? Countdown(from: 1, then: deliverImage) : nil
        let (record, isSuperseded) = adoptCached(source, unless: isChanged)
        storeInTarget(
            processed, original: bytes, source: source, madeOf: record, unless: isSuperseded, then: stored)
        if stored == nil { deliverImage() }
    }

    /// Processes a cached image while the load is current; if that is damaged, loads the source, and if the processor fails
    /// otherwise, tries the next one.
    func process(
        _ image: KFCrossPlatformImage, of source: Source,
        then deliverImage: @escaping @Sendable (KFCrossPlatformImage) -> Void
    ) {
        options.process { [self] in
            guard isCurrent(source) else { return }
            options.context.events?.send(.processing(identifier: options.processor.identifier, bytes: nil))
            let result = options.processed(.image(image), of: source)
            guard isCurrent(source) else { return }
            switch result {
            case .success(let processed): deliverImage(processed)
            case .failure(let error):
                if !reloadDamaged(image, of: source) { tryAlternative(after: error, to: source) }
            }
        }
    }

    /// Loads the source after a miss; checks memory again, because another load may have stored the image meanwhile.
    func loadIfAllowed(_ source: Source) {
        if let cache = options.targetCache, let image = imageInMemory(of: source) {
            lookedUp(.memory)
            return use(memoryHit: image, in: cache, source: source)
        }
        guard let shared = sharedCache(for: source) else { return loadAfterLookup(source) }
        lookUpShared(source, in: shared)
    }

    /// Loads the source after no cache had the image.
    func loadAfterLookup(_ source: Source) {
        if options.reads([.memory, .disk, .shared]) { lookedUp(.none) }
        loadAfterMiss(source)
    }

    /// Whether the disk is read on the calling thread.
    var readsSynchronously: Bool {
        options.loadDiskFileSynchronously
            && !state.withLock { $0.isReplacement || $0.freshness.isRevalidated }
    }
}
