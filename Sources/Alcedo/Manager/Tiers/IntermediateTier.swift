/// The cached results of the first processors of a chain, from which the load runs the others.
///
/// A serializer that stores originals has no intermediate results on disk, and could not store what is processed from one.
struct IntermediateTier: LoadTier {
    /// Each prefix costs a read of the disk after a miss.
    private static let mostPrefixes = 4

    func serves(_ load: ImageLoad, _ source: Source) -> Bool {
        load.options.useCachedIntermediates && load.options.reads([.memory, .disk])
            && !load.options.cacheSerializer.originalDataUsed
    }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        guard let cache = load.options.targetCache else { return nil }
        let key = attempt.source.cacheKey
        var prefixes = prefixes(of: load.options)
        if let hit = hitInMemory(&prefixes, of: cache, forKey: key, for: load) { return hit }
        guard load.options.reads(.disk) else { return nil }
        for prefix in prefixes {
            let isSuperseded = isChanged(cache, key, prefix, for: load)
            let found = try await load.look(in: cache, forKey: key) { options in
                options.look(for: prefix)
                // Memory has none that is usable.
                options.readLayers.remove(.memory)
            }
            guard let (image, type) = found else { continue }
            load.lookedUp(type, isOriginal: true)
            return hit(image, prefix, in: cache, for: load, unless: isSuperseded)
        }
        return nil
    }

    /// The prefixes of the chain, the longest first, which leaves the least to do.
    private func prefixes(of options: KingfisherParsedOptionsInfo) -> [ProcessorChain] {
        let steps = options.processor.steps
        let counts = (1..<max(1, steps.count)).reversed().prefix(Self.mostPrefixes)
        return counts.map { ProcessorChain(steps.prefix($0)) }.filter { !$0.identifier.isEmpty }
    }

    /// The longest result in memory; without one, leaves in `prefixes` those to look for on disk.
    @inline(never) private func hitInMemory(
        _ prefixes: inout [ProcessorChain], of cache: ImageCache, forKey key: String, for load: ImageLoad
    ) -> TierHit? {
        var missing: [ProcessorChain] = []
        for prefix in prefixes {
            let isSuperseded = isChanged(cache, key, prefix, for: load)
            var options = load.options
            options.look(for: prefix)
            guard options.reads(.memory),
                let image = cache.retrieveImageInMemoryCache(forKey: key, options: options),
                !image.needsRemaking(for: options)
            else {
                missing.append(prefix)
                continue
            }
            // A file does not have the scale: this image's is not read instead.
            guard image.scale == options.scaleFactor else { continue }
            load.lookedUp(.memory, isOriginal: true)
            return hit(image, prefix, in: cache, for: load, unless: isSuperseded)
        }
        prefixes = missing
        return nil
    }

    private func isChanged(
        _ cache: ImageCache, _ key: String, _ prefix: ProcessorChain, for load: ImageLoad
    ) -> @Sendable () -> Bool {
        cache.isChanged(key, load.options.processor.identifier, madeOf: prefix.identifier, in: cache)
    }

    private func hit(
        _ image: KFCrossPlatformImage, _ prefix: ProcessorChain, in cache: ImageCache, for load: ImageLoad,
        unless isSuperseded: @escaping @Sendable () -> Bool
    ) -> TierHit {
        let done = ProcessedSteps(image: image, count: prefix.steps.count)
        return TierHit(cache: cache, image: image) { (attempt) throws(KingfisherError) in
            let bytes = image.encoded?.data
            // The original may be intact.
            guard let processed = try await load.finished(done, of: attempt.source) else { return .nothing }
            return .delivery(
                await load.store(processed, processedFrom: bytes, of: attempt, unless: isSuperseded))
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Makes these the options of a lookup of the results of `processor`.
    fileprivate mutating func look(for processor: ProcessorChain) {
        self.processor = processor
        backgroundDecode = false
        callbackQueue = .untouch
    }
}
