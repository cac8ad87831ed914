import Alcedo
import AlcedoLocks
import Foundation

/// Encoded results in memory and in the caches behind it, as bytes: a hit decodes and encodes nothing.
final class ResultStore: Sendable {
    private let memory: MemoryStorage.Backend<StoredResult>
    let cache: ImageCache?
    let shared: SharedImageCache?
    /// Nil without a disk cache.
    let writes: DiskWrites?
    private let lookupIsLate: @Sendable () -> Void

    /// - Parameters:
    ///   - cache: the disk cache, if there is one.
    ///   - shared: the shared cache, if there is one.
    ///   - memoryBytes: the size of results in memory.
    ///   - warn: writes to the log.
    ///   - lookupIsLate: called when a lookup on the disk was given up.
    init(
        cache: ImageCache?, shared: SharedImageCache?, memoryBytes: Int,
        warn: @escaping @Sendable (String) -> Void = { _ in },
        lookupIsLate: @escaping @Sendable () -> Void
    ) {
        (self.cache, self.shared, self.lookupIsLate) = (cache, shared, lookupIsLate)
        writes = cache.map { DiskWrites(folder: $0.diskStorage.directoryURL.path, warn: warn) }
        memory = MemoryStorage.Backend(config: .init(totalCostLimit: max(1, memoryBytes)))
    }

    /// The result in memory.
    func inMemory(_ key: String) -> StoredResult? {
        let result = memory.value(forKey: key, extendingExpiration: .none)
        return result?.isFresh == true ? result : nil
    }

    /// The result that this machine has, and where.
    ///
    /// Waits for the disk up to half the time until `deadline`, so that there is time to create the result again.
    func result(
        forKey key: String, until deadline: ContinuousClock.Instant
    ) async -> (result: StoredResult, tier: ServerResponse.Tier)? {
        if let result = inMemory(key) { return (result, .memory) }
        if let result = await onDisk(key, within: (deadline - .now) / 2), result.isFresh {
            memory.store(value: result, forKey: key, expiration: result.expiration)
            return (result, .disk)
        }
        return nil
    }

    /// Keeps a result until it expires, also for the fleet with the right to that; never waits for a disk or a network.
    ///
    /// One that must not be kept removes those that are, with `isReplacing` or the right to renew one also from the disk and
    /// for the fleet: an origin that forbids to keep its image costs no removal for each request otherwise.
    func store(
        _ result: StoredResult, forKey key: String, sharing right: SharedEntryRight?,
        replacing isReplacing: Bool
    ) {
        guard result.isFresh else {
            guard isReplacing || right?.isRenewal == true || memory.isCached(forKey: key) else { return }
            return remove(key)
        }
        let entry = cache == nil && right == nil ? nil : result.entry
        keepHere(result, forKey: key, entry: entry)
        guard let right, let entry else { return }
        right.store(entry, lifetime: result.facts.expires?.timeIntervalSinceNow ?? .infinity)
    }

    /// Forgets a result everywhere.
    func remove(_ key: String) {
        removeHere(key)
        shared?.removeEntry(forKey: key)
    }

    /// Forgets a result on this machine.
    func removeHere(_ key: String) {
        memory.remove(forKey: key)
        cache?.removeImage(forKey: key)
    }

    func keepHere(_ result: StoredResult, forKey key: String, entry: Data?) {
        memory.store(value: result, forKey: key, expiration: result.expiration)
        guard let cache, let entry else { return }
        cache.storeToDisk(entry, forKey: key, expiration: result.expiration) { [writes] in
            writes?.ended($0.diskCacheResult)
        }
    }

    private func onDisk(_ key: String, within time: Duration) async -> StoredResult? {
        guard let cache, time > .zero else { return nil }
        let reader = EntryReader()
        var options = KingfisherParsedOptionsInfo(nil)
        options.cacheSerializer = reader
        options.readLayers = .disk
        options.writeLayers = []
        options.diskCacheAccessExtendingExpiration = .none
        let lookup = OneShot<LookupEnd, Never>()
        cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { _ in
            lookup.finish(.success(.returned(reader.result)))
        }
        let timer = Task {
            // Cancelled at the end of the lookup.
            guard (try? await cancellableSleep(for: time)) != nil else { return }
            lookup.finish(.success(.timedOut))
        }
        defer { timer.cancel() }
        let end = await withTaskCancellationHandler {
            await lookup.value()
        } onCancel: {
            lookup.finish(.success(.returned(nil)))
        }
        switch end {
        case .returned(let result): return result
        case .timedOut:
            lookupIsLate()
            return nil
        }
    }

    /// What ended a lookup, first.
    private enum LookupEnd: Sendable {
        case returned(StoredResult?)
        case timedOut
    }
}

extension StoredResult {
    fileprivate var expiration: StorageExpiration? { facts.expires.map { .date($0) } }

    var isFresh: Bool { facts.expires.map { $0 > Date() } ?? true }
}

/// Reads an entry's bytes as they are: the image that it returns stands for them.
private final class EntryReader: LibraryCacheSerializer {
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
