import AlcedoLocks
import Foundation

// First the processed image in the target cache, then the original, which is processed and stored, then the source
// itself. Only memory is asked on the calling thread, unless the options want the disk read there.

extension ImageLoad {
    /// The processed image, if memory has it and the options want it from there.
    func imageInMemory(of source: Source) -> KFCrossPlatformImage? {
        options.forceRefresh
            ? nil : options.targetCache?.retrieveImageInMemoryCache(forKey: source.cacheKey, options: options)
    }

    /// Answers with the processed image, now or later, or goes on to the original.
    ///
    /// - Parameters:
    ///   - source: what to look for.
    ///   - hit: what memory has.
    func answerFromTarget(_ source: Source, hit: KFCrossPlatformImage?) {
        guard let cache = options.targetCache else { return answerFromOriginal(source) }
        if let hit { return answer(fromMemory: hit, in: cache, source: source) }
        guard !options.fromMemoryCacheOrRefresh else { return answerFromOriginal(source) }
        let key = source.cacheKey
        let snapshot = cache.generations.snapshot(forKey: key, identifier: options.processor.identifier)
        cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { [self] result in
            guard isWanted(source) else { return }
            guard case .success(let found) = result, let image = found.image else {
                return answerFromOriginal(source)
            }
            if found.cacheType == .memory { return answer(fromMemory: image, in: cache, source: source) }
            guard options.hitNeedsProcessing else {
                return answer(with: image, cacheType: .disk, source: source, atOnce: isReadAtOnce)
            }
            process(image, of: source) { [self] processed in
                cache.promote(processed, forKey: key, options: options, since: snapshot)
                answer(with: processed, cacheType: .disk, source: source)
            }
        }
    }

    func answer(
        with image: KFCrossPlatformImage, cacheType: CacheType, source: Source, atOnce: Bool = false
    ) {
        deliver(image, cacheType: cacheType, source: source, atOnce: atOnce) { [options] in
            options.cacheSerializer.data(with: image, original: nil)
        }
    }

    private func answer(fromMemory image: KFCrossPlatformImage, in cache: ImageCache, source: Source) {
        guard image.needsRemaking(for: options) else {
            return answer(with: image, cacheType: .memory, source: source)
        }
        options.process { [self] in
            guard isWanted(source) else { return }
            let remade = image.remade(with: options)
            guard isWanted(source) else { return }
            // All frames take the place of what is cached, so that they are decoded once; a first frame alone does not.
            if let remade, !options.onlyLoadFirstFrame {
                cache.promote(remade, over: image, forKey: source.cacheKey, options: options)
            }
            answer(with: remade ?? image, cacheType: .memory, source: source)
        }
    }

    private func answerFromOriginal(_ source: Source) {
        guard let cache = options.originalCache, let target = options.targetCache,
            cache !== target || !options.processor.identifier.isEmpty
        else { return loadIfAllowed(source) }
        let key = source.cacheKey
        let generations = [cache.generations, target.generations]
        let snapshots = generations.map { $0.snapshot(forKey: key, identifier: "") }
        let isRemoved: @Sendable () -> Bool = {
            !zip(generations, snapshots).allSatisfy { $0.hasSameRemovals(since: $1) }
        }
        var originalOptions = options
        originalOptions.processor = DefaultImageProcessor.default
        originalOptions.backgroundDecode = false
        originalOptions.callbackQueue = .untouch
        if let original = cache.retrieveImageInMemoryCache(forKey: key, options: originalOptions) {
            return answer(processing: original, of: source, isRemoved: isRemoved)
        }
        guard !options.fromMemoryCacheOrRefresh else { return loadIfAllowed(source) }
        readOriginal(of: source, in: cache, options: originalOptions) { [self] original in
            guard let original else { return loadIfAllowed(source) }
            answer(processing: original, of: source, isRemoved: isRemoved)
        }
    }

    /// Looks for an original on disk under the forced extension, and then without: `cacheOriginalImage` stores it so.
    private func readOriginal(
        of source: Source, in cache: ImageCache, options originalOptions: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (KFCrossPlatformImage?) -> Void
    ) {
        cache.retrieveImage(forKey: source.cacheKey, options: originalOptions, callbackQueue: .untouch) {
            [self] result in
            guard isWanted(source) else { return }
            if case .success(let found) = result, let original = found.image { return then(original) }
            guard originalOptions.forcedExtension != nil else { return then(nil) }
            var options = originalOptions
            options.forcedExtension = nil
            readOriginal(of: source, in: cache, options: options, then: then)
        }
    }

    /// Stores and delivers what the processor makes of an original; does not store it if that was removed meanwhile.
    private func answer(
        processing original: KFCrossPlatformImage, of source: Source,
        isRemoved: @escaping @Sendable () -> Bool
    ) {
        let bytes = original.encoded?.data
        process(original, of: source) { [self] processed in
            let handOver: @Sendable () -> Void = { [self] in
                deliver(processed, cacheType: .none, source: source) { [options] in
                    options.cacheSerializer.data(with: processed, original: bytes)
                }
            }
            let stored = options.waitForCache ? Countdown(from: 1, then: handOver) : nil
            storeInTarget(processed, original: bytes, source: source, unless: isRemoved, then: stored)
            if stored == nil { handOver() }
        }
    }

    /// Processes a cached image for as long as somebody wants it; what the processor refuses is not loaded instead.
    private func process(
        _ image: KFCrossPlatformImage, of source: Source,
        then handOver: @escaping @Sendable (KFCrossPlatformImage) -> Void
    ) {
        options.process { [self] in
            guard isWanted(source) else { return }
            let result = options.processed(.image(image))
            guard isWanted(source) else { return }
            switch result {
            case .success(let processed): handOver(processed)
            case .failure(let error): tryAlternative(after: error, to: source)
            }
        }
    }

    /// No cache had the image; memory may have been given it while the disk was read, by another load.
    private func loadIfAllowed(_ source: Source) {
        if let cache = options.targetCache, let image = imageInMemory(of: source) {
            return answer(fromMemory: image, in: cache, source: source)
        }
        guard options.onlyFromCache else { return load(source) }
        tryAlternative(after: .cacheError(reason: .imageNotExisting(key: source.cacheKey)), to: source)
    }

    /// Whether the disk is read on the thread of the call.
    private var isReadAtOnce: Bool {
        options.loadDiskFileSynchronously && !state.withLock { $0.isReplacement }
    }
}
