/// The unprocessed image, in its own cache and then in the fallback caches.
struct OriginalTier: LoadTier {
    func serves(_ load: ImageLoad, _ source: Source) -> Bool {
        load.options.reads([.memory, .disk]) && !load.options.cachesOfOriginals(for: source).isEmpty
    }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        guard let target = load.options.targetCache else { return nil }
        let source = attempt.source
        let key = source.cacheKey
        for cache in load.options.cachesOfOriginals(for: source) {
            let identifier = load.options.processor.identifier
            let isSuperseded = target.isChanged(key, identifier, madeOf: "", in: cache)
            guard let (original, type) = try await look(in: cache, forKey: key, for: load) else { continue }
            load.lookedUp(type, isOriginal: true)
            return TierHit(cache: cache, image: original) { (attempt) throws(KingfisherError) in
                let bytes = original.encoded?.data
                guard let processed = try await load.processed(original, of: source) else { return .damaged }
                return .delivery(
                    await load.store(processed, processedFrom: bytes, of: attempt, unless: isSuperseded))
            }
        }
        return nil
    }

    private nonisolated(nonsending) func look(
        in cache: ImageCache, forKey key: String, for load: ImageLoad
    ) async throws(KingfisherError) -> (KFCrossPlatformImage, CacheType)? {
        if load.options.reads(.memory), let image = imageInMemory(of: cache, forKey: key, for: load) {
            return (image, .memory)
        }
        guard load.options.reads(.disk) else { return nil }
        let found = try await load.look(in: cache, forKey: key) { adapt(&$0, to: cache) }
        if let found { return (found.image, .disk) }
        guard load.options.forcedExtension != nil else { return nil }
        // `cacheOriginalImage` stores it without the extension.
        let plain = try await load.look(in: cache, forKey: key) { options in
            adapt(&options, to: cache)
            options.forcedExtension = nil
        }
        return plain.map { ($0.image, .disk) }
    }

    @inline(never) private func imageInMemory(
        of cache: ImageCache, forKey key: String, for load: ImageLoad
    ) -> KFCrossPlatformImage? {
        var options = load.options
        adapt(&options, to: cache)
        return cache.retrieveImageInMemoryCache(forKey: key, options: options)
    }

    private func adapt(_ options: inout KingfisherParsedOptionsInfo, to cache: ImageCache) {
        options.processor = DefaultImageProcessor.default
        options.backgroundDecode = false
        options.callbackQueue = .untouch
        // A fallback's hit stays out of its memory.
        if cache !== options.originalCache { options.writeLayers.remove(.memory) }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The caches to look up an original in, in order; none if the original is the image itself.
    func cachesOfOriginals(for source: Source) -> [ImageCache] {
        let isProcessed = !processor.identifier.isEmpty
        let own = originalCache.map { isProcessed || $0 !== targetCache ? [$0] : [] } ?? []
        return isProcessed ? own + (fallbackCaches(for: source) ?? []) : own
    }
}
