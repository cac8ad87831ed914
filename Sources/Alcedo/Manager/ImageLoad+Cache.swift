import Foundation

extension ImageLoad {
    /// Answers from a cache, now or later; false if none has the image.
    ///
    /// First the processed image in the target cache, then the original, which is processed and stored.
    func answerFromCache(_ source: Source) -> Bool {
        answerFromTarget(source) || answerFromOriginal(source)
    }

    private func answerFromTarget(_ source: Source) -> Bool {
        guard let cache = options.targetCache else { return false }
        let key = source.cacheKey
        if let image = cache.retrieveImageInMemoryCache(forKey: key, options: options) {
            if image.needsRemaking(for: options) {
                options.process { [self] in answer(remaking: image, in: cache, source: source) }
            } else {
                answer(with: image, cacheType: .memory, source: source)
            }
            return true
        }
        guard !options.fromMemoryCacheOrRefresh,
            cache.imageCachedType(
                forKey: key,
                processorIdentifier: options.processor.identifier,
                forcedExtension: options.forcedExtension
            ).cached
        else { return false }
        cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { [self] result in
            guard case .success(let found) = result, let image = found.image else {
                return loadAfterAll(source)
            }
            guard options.hitNeedsProcessing else {
                return answer(with: image, cacheType: found.cacheType, source: source)
            }
            options.process { [self] in
                guard let processed = process(image) else { return loadAfterAll(source) }
                cache.promote(processed, forKey: key, options: options)
                answer(with: processed, cacheType: found.cacheType, source: source)
            }
        }
        return true
    }

    private func answer(with image: KFCrossPlatformImage, cacheType: CacheType, source: Source) {
        deliver(image, cacheType: cacheType, source: source) { [options] in
            options.cacheSerializer.data(with: image, original: nil)
        }
    }

    /// Answers with what the options make of an animation that was cached under others.
    ///
    /// All frames take the place of what is cached, so that they are decoded once; a first frame alone does not.
    private func answer(remaking image: KFCrossPlatformImage, in cache: ImageCache, source: Source) {
        let remade = image.remade(with: options)
        if let remade, !options.onlyLoadFirstFrame {
            cache.promote(remade, over: image, forKey: source.cacheKey, options: options)
        }
        answer(with: remade ?? image, cacheType: .memory, source: source)
    }

    private func answerFromOriginal(_ source: Source) -> Bool {
        guard let cache = options.originalCache, let target = options.targetCache else { return false }
        let identifier = DefaultImageProcessor.default.identifier
        guard cache !== target || options.processor.identifier != identifier else { return false }
        let type = cache.imageCachedType(forKey: source.cacheKey, processorIdentifier: identifier)
        guard options.fromMemoryCacheOrRefresh ? type == .memory : type.cached else { return false }
        var originalOptions = options
        originalOptions.processor = DefaultImageProcessor.default
        originalOptions.forcedExtension = nil
        originalOptions.backgroundDecode = false
        originalOptions.callbackQueue = .untouch
        cache.retrieveImage(
            forKey: source.cacheKey, options: originalOptions, callbackQueue: .untouch
        ) { [self] result in
            guard case .success(let found) = result, let image = found.image else {
                return loadAfterAll(source)
            }
            options.process { [self] in
                guard let processed = process(image) else { return loadAfterAll(source) }
                let original = image.encoded?.data
                let handOver: @Sendable () -> Void = { [self] in
                    deliver(processed, cacheType: .none, source: source) { [options] in
                        options.cacheSerializer.data(with: processed, original: original)
                    }
                }
                let stored = options.waitForCache ? Countdown(from: 1, then: handOver) : nil
                storeInTarget(processed, original: original, source: source, then: stored)
                if stored == nil { handOver() }
            }
        }
        return true
    }

    private func process(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        options.processor.process(item: .image(image), options: options)
    }

    /// A cache promised the image but could not give it.
    private func loadAfterAll(_ source: Source) {
        guard !options.onlyFromCache, !options.isSourceTaskStale else {
            return tryAlternative(
                after: .cacheError(reason: .imageNotExisting(key: source.cacheKey)), to: source)
        }
        load(source, isReplacement: true)
    }
}
