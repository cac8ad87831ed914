import Alcedo
import AlcedoLocks
import Foundation

/// Encoded results in memory and in the caches behind it, as bytes: a hit decodes and encodes nothing.
final class ResultStore: Sendable {
    private let memory: MemoryStorage.Backend<StoredResult>
    let cache: ImageCache?
    let shared: SharedImageCache?

    init(cache: ImageCache?, shared: SharedImageCache?, memoryBytes: Int) {
        (self.cache, self.shared) = (cache, shared)
        memory = MemoryStorage.Backend(config: .init(totalCostLimit: max(1, memoryBytes)))
    }

    /// The result in memory.
    func inMemory(_ key: String) -> StoredResult? {
        let result = memory.value(forKey: key, extendingExpiration: .none)
        return result?.isFresh == true ? result : nil
    }

    /// The result that this machine has, and where.
    func result(forKey key: String) async -> (result: StoredResult, tier: ServedAnswer.Tier)? {
        if let result = inMemory(key) { return (result, .memory) }
        if let result = await onDisk(key), result.isFresh {
            memory.store(value: result, forKey: key, expiration: result.expiration)
            return (result, .disk)
        }
        return nil
    }

    /// Keeps a result until it expires, also for the fleet with the right to that; never waits for a disk or a network.
    func store(_ result: StoredResult, forKey key: String, sharing right: SharedEntryRight?) {
        guard result.isFresh else { return }
        let entry = cache == nil && right == nil ? nil : result.entry
        keepHere(result, forKey: key, entry: entry)
        guard let right, let entry else { return }
        right.store(entry, lifetime: result.facts.expires?.timeIntervalSinceNow ?? .infinity)
    }

    func keepHere(_ result: StoredResult, forKey key: String, entry: Data?) {
        memory.store(value: result, forKey: key, expiration: result.expiration)
        guard let cache, let entry else { return }
        cache.storeToDisk(entry, forKey: key, expiration: result.expiration)
    }

    private func onDisk(_ key: String) async -> StoredResult? {
        guard let cache else { return nil }
        let reader = EntryReader()
        var options = KingfisherParsedOptionsInfo(nil)
        options.cacheSerializer = reader
        options.readLayers = .disk
        options.writeLayers = []
        options.diskCacheAccessExtendingExpiration = .none
        return await withCheckedContinuation { continuation in
            cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { _ in
                continuation.resume(returning: reader.result)
            }
        }
    }
}

extension StoredResult {
    fileprivate var expiration: StorageExpiration? { facts.expires.map { .date($0) } }

    var isFresh: Bool { facts.expires.map { $0 > Date() } ?? true }
}

/// Reads an entry's bytes as they are: the image that it returns stands for them.
private final class EntryReader: CacheSerializer {
    private static let placeholder = Image()
    private let found = Lock<StoredResult?>(nil)

    var result: StoredResult? { found.withLock { $0 } }

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let result = StoredResult(entry: data) else { return nil }
        found.withLock { $0 = result }
        return Self.placeholder
    }
}
