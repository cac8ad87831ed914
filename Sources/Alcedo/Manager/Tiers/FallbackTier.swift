import AlcedoLocks
import Foundation

/// The processed image in each of `fallbackCaches`.
///
/// A hit is stored in the target cache, so that a slow fallback is not read again after every start.
struct FallbackTier: LoadTier {
    func serves(_ load: ImageLoad, _ source: Source) -> Bool {
        load.options.reads([.memory, .disk]) && load.options.fallbackCaches(for: source)?.isEmpty == false
    }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        let source = attempt.source
        guard let caches = load.options.fallbackCaches(for: source), let target = load.options.targetCache
        else { return nil }
        let key = source.cacheKey
        for cache in caches {
            let snapshot = target.generations.snapshot(
                forKey: key, identifier: load.options.processor.identifier)
            // Its hit stays out of that cache's memory, which would hold the image twice.
            let found = try await load.look(in: cache, forKey: key) { $0.writeLayers.remove(.memory) }
            guard let (image, type) = found else { continue }
            load.lookedUp(type)
            return TierHit(cache: nil, image: image) { (attempt) throws(KingfisherError) in
                if type == .disk, load.options.hitNeedsProcessing {
                    let bytes = image.encoded?.data
                    guard let processed = try await load.processed(image, of: source) else { return .damaged }
                    await load.fillTarget(processed, original: bytes, of: source, since: snapshot)
                    return .delivery(LoadDelivery(processed, .disk, in: load))
                }
                await load.fillTarget(image, original: nil, of: source, since: snapshot)
                guard type == .memory, image.needsRemaking(for: load.options) else {
                    let isSynchronous = load.readsSynchronously(attempt) && !load.options.waitForCache
                    return .delivery(LoadDelivery(image, type, in: load, isSynchronous: isSynchronous))
                }
                let remade = try await load.remade(image)
                return .delivery(LoadDelivery(remade ?? image, .memory, in: load))
            }
        }
        return nil
    }
}

extension ImageLoad {
    /// Stores a fallback's image in the target cache, unless that has got or lost the image after `snapshot`.
    fileprivate nonisolated(nonsending) func fillTarget(
        _ image: KFCrossPlatformImage, original: Data?, of source: Source,
        since snapshot: CacheGenerations.Snapshot
    ) async {
        guard let generations = options.targetCache?.generations, generations.isUnchanged(since: snapshot)
        else { return }
        await storing { then in
            let stored = then.map { Countdown(from: 1, then: $0) }
            storeInTarget(
                image, original: original, source: source,
                unless: { !generations.isUnchanged(since: snapshot) }, then: stored)
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The fallback caches of a load; nil if it respects freshness, because their images have no response.
    func fallbackCaches(for source: Source) -> [ImageCache]? {
        respectsFreshness(of: source) ? nil : fallbackCaches
    }
}
