/// The processed image in the target cache.
struct TargetTier: LoadTier {
    func serves(_ load: ImageLoad, _ source: Source) -> Bool { load.options.reads([.memory, .disk]) }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        guard let cache = load.options.targetCache else { return nil }
        if let image = attempt.memoryHit { return hit(inMemory: image, of: cache, for: load) }
        guard load.options.reads(.disk) else { return nil }
        let key = attempt.source.cacheKey
        // Before the lookup, because what is processed must not replace what was stored since.
        let snapshot: CacheGenerations.Snapshot? =
            load.options.hitNeedsProcessing
            ? cache.generations.snapshot(forKey: key, identifier: load.options.processor.identifier) : nil
        let found = try await load.look(in: cache, forKey: key)
        guard let (image, type) = found, load.mayDecode(image) else { return nil }
        if type == .memory { return hit(inMemory: image, of: cache, for: load) }
        load.lookedUp(type)
        return TierHit(cache: cache, image: image) { (attempt) throws(KingfisherError) in
            guard let snapshot else {
                let isSynchronous = load.readsSynchronously(attempt)
                return .delivery(LoadDelivery(image, .disk, in: load, isSynchronous: isSynchronous))
            }
            guard let processed = try await load.processed(image, of: attempt.source) else { return .damaged }
            cache.promote(processed, forKey: key, load.options.promotion, since: snapshot)
            return .delivery(LoadDelivery(processed, .disk, in: load))
        }
    }
}

/// The processed image in memory once more, because another load may have stored it during the lookups.
struct MemoryTier: LoadTier {
    func serves(_ load: ImageLoad, _ source: Source) -> Bool { load.options.reads(.memory) }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        guard let cache = load.options.targetCache, let image = load.imageInMemory(of: attempt.source) else {
            return nil
        }
        return hit(inMemory: image, of: cache, for: load)
    }
}

extension LoadTier {
    /// An image in the memory of a target cache.
    func hit(inMemory image: KFCrossPlatformImage, of cache: ImageCache, for load: ImageLoad) -> TierHit {
        load.lookedUp(.memory)
        return TierHit(cache: cache, image: image) { (attempt) throws(KingfisherError) in
            guard image.needsRemaking(for: load.options) else {
                return .delivery(LoadDelivery(image, .memory, in: load))
            }
            let remade = try await load.remade(image)
            // Caches all frames, so that they are decoded once, but not a first frame alone.
            if let remade, !load.options.onlyLoadFirstFrame {
                cache.promote(remade, over: image, forKey: attempt.source.cacheKey, load.options.promotion)
            }
            return .delivery(LoadDelivery(remade ?? image, .memory, in: load))
        }
    }
}
