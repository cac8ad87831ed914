import AlcedoCaches
import AlcedoLocks
import Foundation

/// Encoded results in memory and in the caches behind it, as bytes: a hit decodes and encodes nothing.
final class ResultStore: Sendable {
    private let memory: MemoryStorage.Core
    let cache: EntryCache?
    let shared: SharedImageCache?
    let bucket: ResultBucket?
    /// Nil without a disk cache.
    let writes: DiskWrites?
    private let lookupIsLate: @Sendable () -> Void

    /// - Parameters:
    ///   - cache: the disk cache, if there is one.
    ///   - shared: the shared cache, if there is one.
    ///   - bucket: results that outlast all of these, if there are some.
    ///   - memoryBytes: the size of results in memory.
    ///   - warn: writes to the log.
    ///   - lookupIsLate: called when a lookup on the disk was given up.
    init(
        cache: EntryCache?, shared: SharedImageCache?, bucket: ResultBucket? = nil, memoryBytes: Int,
        warn: @escaping @Sendable (String) -> Void = { _ in },
        lookupIsLate: @escaping @Sendable () -> Void
    ) {
        (self.cache, self.shared, self.bucket, self.lookupIsLate) = (cache, shared, bucket, lookupIsLate)
        writes = cache.map { DiskWrites(folder: $0.disk.directoryURL.path, warn: warn) }
        memory = MemoryStorage.Core(config: .init(totalCostLimit: max(1, memoryBytes)), now: { .coarse })
    }

    /// The size of the results in memory.
    var bytesInMemory: Int { memory.totalCost }

    func inMemory(_ key: String) -> StoredResult? {
        let kept = memory.object(forKey: key, extending: .none) as? ResultInMemory
        return kept?.result.isFresh == true ? kept?.result : nil
    }

    /// The result that this machine has, and where.
    ///
    /// Waits for the disk up to half the time until `deadline`, so that there is time to create the result again.
    func result(
        forKey key: String, until deadline: ContinuousClock.Instant
    ) async -> (result: StoredResult, tier: ServerResponse.Tier)? {
        if let result = inMemory(key) { return (result, .memory) }
        if let result = await onDisk(key, within: (deadline - .now) / 2), result.isFresh {
            keepInMemory(result, forKey: key)
            return (result, .disk)
        }
        return nil
    }

    /// The result in the bucket, which may be out of date; waits for it up to half the time until `deadline`.
    func inBucket(_ key: String, until deadline: ContinuousClock.Instant) async -> StoredResult? {
        guard let bucket, case .found(let result) = await bucket.find(key, within: (deadline - .now) / 2)
        else {
            return nil
        }
        return result
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
            guard isReplacing || right?.isRenewal == true || memory.isCached(key) else { return }
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
        bucket?.remove(key)
    }

    /// Forgets a result on this machine.
    func removeHere(_ key: String) {
        memory.remove(key)
        cache?.remove(key)
    }

    func keepHere(_ result: StoredResult, forKey key: String, entry: Data?) {
        keepInMemory(result, forKey: key)
        guard let cache, let entry else { return }
        cache.store(entry, forKey: key, expiration: result.expiration) { [writes] in writes?.ended($0) }
    }

    private func keepInMemory(_ result: StoredResult, forKey key: String) {
        memory.store(
            ResultInMemory(result), cost: result.cacheCost, costChanges: false, forKey: key,
            ownKeyLength: key.utf8.count, expiration: result.expiration)
    }

    private func onDisk(_ key: String, within time: Duration) async -> StoredResult? {
        guard let cache, time > .zero else { return nil }
        let lookup = OneShot<LookupEnd, Never>()
        cache.find(key) { entry in
            lookup.finish(.success(.returned(entry.flatMap(StoredResult.init(entry:)))))
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

/// A result as an object, which the memory cache holds.
private final class ResultInMemory: Sendable {
    let result: StoredResult

    init(_ result: StoredResult) { self.result = result }
}
