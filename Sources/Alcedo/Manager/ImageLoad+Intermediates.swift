// Cached results of a chain's first processors, from which a load continues.

/// How many of a chain's beginnings are looked up.
private let mostLookups = 4

extension ImageLoad {
    /// Looks up the results of the chain's beginnings, the longest first, and runs its other processors; else looks up the
    /// original.
    ///
    /// A serializer that stores originals has no intermediate results on disk, and could not store what is made of one.
    func lookUpIntermediate(_ source: Source) {
        guard options.useCachedIntermediates, let cache = options.targetCache,
            !options.cacheSerializer.originalDataUsed
        else { return lookUpOriginal(source) }
        let steps = options.processor.steps
        let counts = (1..<max(1, steps.count)).reversed().prefix(mostLookups)
        let beginnings = counts.map { ProcessorChain(steps.prefix($0)) }.filter { !$0.identifier.isEmpty }
        guard !beginnings.isEmpty else { return lookUpOriginal(source) }
        let key = source.cacheKey
        var missing: [ProcessorChain] = []
        for beginning in beginnings {
            let isSuperseded = cache.isChanged(
                key, options.processor.identifier, madeOf: beginning.identifier, in: cache)
            let wanted = options.looking(for: beginning)
            guard options.reads(.memory),
                let image = cache.retrieveImageInMemoryCache(forKey: key, options: wanted),
                !image.needsRemaking(for: wanted)
            else {
                missing.append(beginning)
                continue
            }
            // A file does not tell its scale: this image's is not read instead.
            guard image.scale == options.scaleFactor else { continue }
            lookedUp(.memory, isOriginal: true)
            let done = ProcessedSteps(image: image, count: beginning.steps.count)
            return use(done, in: cache, source, unless: isSuperseded)
        }
        guard options.reads(.disk) else { return lookUpOriginal(source) }
        readIntermediate(missing[...], of: source, in: cache)
    }

    private func readIntermediate(
        _ beginnings: ArraySlice<ProcessorChain>, of source: Source, in cache: ImageCache
    ) {
        guard let beginning = beginnings.first else { return lookUpOriginal(source) }
        let isSuperseded = cache.isChanged(
            source.cacheKey, options.processor.identifier, madeOf: beginning.identifier, in: cache)
        var wanted = options.looking(for: beginning)
        // Memory has none that is usable.
        wanted.readLayers.remove(.memory)
        cache.retrieveImage(forKey: source.cacheKey, options: wanted, callbackQueue: .untouch) {
            [self] result in
            guard isCurrent(source) else { return }
            guard case .success(let found) = result, let image = found.image else {
                return readIntermediate(beginnings.dropFirst(), of: source, in: cache)
            }
            lookedUp(found.cacheType, isOriginal: true)
            let done = ProcessedSteps(image: image, count: beginning.steps.count)
            use(done, in: cache, source, unless: isSuperseded)
        }
    }

    /// Finishes an image, once it is fresh if the load respects that.
    private func use(
        _ done: ProcessedSteps, in cache: ImageCache, _ source: Source,
        unless isSuperseded: @escaping @Sendable () -> Bool
    ) {
        guard respectsFreshness(of: source) else {
            return resume(from: done, of: source, unless: isSuperseded)
        }
        useIfFresh(source, in: cache) { [self] in resume(from: done, of: source, unless: isSuperseded) }
    }

    /// Runs the other processors; if one fails, looks up the original.
    private func resume(
        from done: ProcessedSteps, of source: Source, unless isSuperseded: @escaping @Sendable () -> Bool
    ) {
        let bytes = done.image.encoded?.data
        options.process { [self] in
            guard isCurrent(source) else { return }
            let processed = done.finished(options)
            guard isCurrent(source) else { return }
            guard case .success(let image)? = processed else { return lookUpOriginal(source) }
            store(image, madeOf: bytes, of: source, unless: isSuperseded)
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options of a lookup of what `processor` has made.
    fileprivate func looking(for processor: ProcessorChain) -> KingfisherParsedOptionsInfo {
        var options = self
        options.processor = processor
        options.backgroundDecode = false
        options.callbackQueue = .untouch
        return options
    }
}
