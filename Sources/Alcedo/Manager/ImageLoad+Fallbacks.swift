import Foundation

// Lookups in the caches behind the target cache: the processed image in each of `fallbackCaches`, after the target cache had
// none. A hit fills the target cache. `ImageLoad+Cache` looks up originals in these caches too, later.

extension ImageLoad {
    /// Looks up the processed image in the fallback caches from `index` on, then what the target cache can make it of.
    func lookUpFallback(_ source: Source, from index: Int = 0) {
        guard let caches = options.fallbackCaches(for: source), index < caches.count,
            let target = options.targetCache
        else { return lookUpIntermediate(source) }
        let key = source.cacheKey
        let snapshot = target.generations.snapshot(forKey: key, identifier: options.processor.identifier)
        caches[index].retrieveImage(
            forKey: key, options: options.withoutMemoryWrites, callbackQueue: .untouch
        ) { [self] result in
            guard isCurrent(source) else { return }
            guard case .success(let found) = result, let image = found.image else {
                return lookUpFallback(source, from: index + 1)
            }
            lookedUp(found.cacheType)
            if found.cacheType == .disk, options.hitNeedsProcessing {
                let bytes = image.encoded?.data
                process(image, of: source) { [self] processed in
                    fillTarget(processed, original: bytes, source: source, since: snapshot) { [self] in
                        deliver(hit: processed, cacheType: .disk, source: source)
                    }
                }
            } else {
                fillTarget(image, original: nil, source: source, since: snapshot) { [self] in
                    deliver(found, image, source: source)
                }
            }
        }
    }

    private func deliver(_ found: ImageCacheResult, _ image: KFCrossPlatformImage, source: Source) {
        guard found.cacheType == .memory, image.needsRemaking(for: options) else {
            return deliver(
                hit: image, cacheType: found.cacheType, source: source,
                synchronously: readsSynchronously && !options.waitForCache)
        }
        options.process { [self] in
            guard isCurrent(source) else { return }
            deliver(hit: image.remade(with: options) ?? image, cacheType: .memory, source: source)
        }
    }

    /// Stores a fallback's image in the target cache, then calls `deliverImage`; with `waitForCache` once the disk has it.
    ///
    /// Stores nothing if the target cache has got or lost the image after `snapshot`.
    private func fillTarget(
        _ image: KFCrossPlatformImage, original: Data?, source: Source,
        since snapshot: CacheGenerations.Snapshot, then deliverImage: @escaping @Sendable () -> Void
    ) {
        guard let generations = options.targetCache?.generations, generations.isUnchanged(since: snapshot)
        else { return deliverImage() }
        let stored = options.waitForCache ? Countdown(from: 1, then: deliverImage) : nil
        storeInTarget(
            image, original: original, source: source,
            unless: { !generations.isUnchanged(since: snapshot) }, then: stored)
        if stored == nil { deliverImage() }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The fallback caches of a load; nil if it respects freshness, because their images have no response.
    func fallbackCaches(for source: Source) -> [ImageCache]? {
        respectsFreshness(of: source) ? nil : fallbackCaches
    }

    /// The caches to look up an original in, in order; none if the original is the image itself.
    func cachesOfOriginals(for source: Source) -> [ImageCache] {
        let isProcessed = !processor.identifier.isEmpty
        let own = originalCache.map { isProcessed || $0 !== targetCache ? [$0] : [] } ?? []
        return isProcessed ? own + (fallbackCaches(for: source) ?? []) : own
    }

    /// These options, with which a lookup keeps its hit out of that cache's memory.
    var withoutMemoryWrites: Self {
        var options = self
        options.writeLayers.remove(.memory)
        return options
    }
}
