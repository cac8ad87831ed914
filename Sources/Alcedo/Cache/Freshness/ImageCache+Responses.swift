import AlcedoLocks
import AlcedoTransport
import Foundation
import Synchronization

// The response records of a cache. A key's record and images belong together: all change under the lock of staged changes.

extension ImageCache {
    /// Finds the record of a key, in memory or on disk; calls `then` once, possibly before it returns.
    func findResponse(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (ResponseRecord?) -> Void
    ) {
        if let record = responses[key] { return then(record) }
        guard options.reads(.disk) else { return then(nil) }
        let identifier = ResponseRecord.identifier
        let snapshot = generations.snapshot(forKey: key, identifier: identifier)
        let computedKey = key.computedKey(with: identifier)
        let name = diskStorage.fileName(forKey: computedKey, forcedExtension: nil)
        switch stagedLookup(name, key: key) {
        case .removed: return then(nil)
        case .stored(.data(let data), _): return then(fill(data, forKey: key, since: snapshot))
        case .stored, .notStaged: break
        }
        let read: @Sendable () -> ResponseRecord? = { [self] in
            let entry = try? diskStorage.entry(
                named: name, ofKey: computedKey,
                extendingExpiration: options.diskCacheAccessExtendingExpiration)
            return entry.flatMap { fill($0.data, forKey: key, since: snapshot) }
        }
        guard !options.loadDiskFileSynchronously else { return then(read()) }
        reads.read(read) { result in then((try? result.get()) ?? nil) }
    }

    /// Finds whether the images of a source are known to be fresh, without its request.
    func findFreshness(
        of source: Source, options: KingfisherParsedOptionsInfo, then: @escaping @Sendable (Bool) -> Void
    ) {
        findResponse(forKey: source.cacheKey, options: options) { [self] record in
            guard let record, let url = source.url else { return then(false) }
            let isFresh = record.isFresh(for: TransportRequest(url: url), at: diskStorage.now())
            then(isFresh && record.response.varying.isEmpty)
        }
    }

    /// Keeps a record from disk in memory, unless the key has changed since `snapshot`; nil if it is damaged.
    private func fill(
        _ data: Data, forKey key: String, since snapshot: CacheGenerations.Snapshot
    ) -> ResponseRecord? {
        guard let record = ResponseRecord(data: data) else { return nil }
        responses.isUsed.store(true, ordering: .relaxed)
        return responses.fill(record, forKey: key) { generations.isUnchanged(since: snapshot) }
    }

    /// Makes `record` that of a key, and removes all its images unless they were created from the same bytes.
    func adopt(
        _ record: ResponseRecord, forKey key: String, options: KingfisherParsedOptionsInfo, toDisk: Bool
    ) {
        responses.isUsed.store(true, ordering: .relaxed)
        var images: [AnyObject] = []
        change { changes in
            // With the same bytes the images stay: loads of two sizes would remove each other's.
            guard responses.set(record, forKey: key)?.body != record.body else { return nil }
            generations.countRemoval(ofKey: key)
            // Under the lock: another load of this response may store its image as soon as the record is there.
            images = memoryStorage.takeVariants(ofKey: key)
            let remove: @Sendable () -> Void = { [self] in
                try? diskStorage.removeVariants(ofKey: key)
                staged.withLock { $0.completeRemovalOfVariants(ofKey: key) }
            }
            return Change(discarded: changes.removeVariants(ofKey: key), run: remove)
        } memory: {
        }
        // Freed outside the lock.
        withExtendedLifetime(images) {}
        if toDisk { write(record, forKey: key, options: options) }
    }

    /// Replaces the record of a key whose images are still those of its response.
    func update(_ record: ResponseRecord, forKey key: String, options: KingfisherParsedOptionsInfo) {
        findResponse(forKey: key, options: options) { [self] _ in
            let isCurrent = staged.withLock { _ in
                let isCurrent = hasResponse(record, forKey: key)
                if isCurrent { responses.set(record, forKey: key) }
                return isCurrent
            }
            if isCurrent, options.writesImageToDisk { write(record, forKey: key, options: options) }
        }
    }

    /// Removes all images of a key whose response had another body than that of `record`.
    func removeImages(
        forKey key: String, madeOfOtherThan record: ResponseRecord, options: KingfisherParsedOptionsInfo
    ) {
        findResponse(forKey: key, options: options) { [self] present in
            if let present, present.body != record.body { removeImages(forKey: key) }
        }
    }

    /// Whether images of this response may be stored: the key's present response has the same body.
    func hasResponse(_ record: ResponseRecord, forKey key: String) -> Bool {
        responses[key].map { $0.body == record.body } ?? false
    }

    private func write(
        _ record: ResponseRecord, forKey key: String, options: KingfisherParsedOptionsInfo
    ) {
        guard let data = record.data else { return }
        var options = options
        options.processor = ProcessorName(identifier: ResponseRecord.identifier)
        options.forcedExtension = nil
        options.diskStoreWriteOptions = []
        options.storeConditions = StoreConditions(
            isSuperseded: { [self] in !hasResponse(record, forKey: key) }, keepsResponse: true,
            backpressure: options.downloader?.backpressure)
        writeBytes(
            data, forKey: key, options: options, completion: StoreCompletion(queue: .untouch, handler: nil))
    }

    /// Removes the record of a key before another store, which may be of other bytes.
    ///
    /// In one step with that store, under the lock of staged changes: a record that another load adopts in between would be
    /// taken for that of the stored image.
    ///
    /// - Returns: what the caller frees after the lock.
    func dropResponse(
        forKey key: String, replacedBy options: KingfisherParsedOptionsInfo, in changes: inout StagedChanges
    ) -> StagedValue? {
        // Without records, a store costs no change of the disk for them. Who adopts one sets `isUsed` before the lock: it is
        // seen here, or the record comes after this store and removes its image.
        guard
            responses.isUsed.load(ordering: .relaxed) || responses.freshness != .ignored,
            !options.storeConditions.keepsResponse,
            !options.writeLayers.isDisjoint(with: [.memory, .disk])
        else { return nil }
        let computedKey = key.computedKey(with: ResponseRecord.identifier)
        let name = diskStorage.fileName(forKey: computedKey, forcedExtension: nil)
        responses.remove(forKey: key)
        generations.countStore(ofKey: key, identifier: ResponseRecord.identifier)
        let (ticket, discarded) = changes.remove(name: name, key: key)
        writes.append { [self] in
            try? diskStorage.remove(forKey: computedKey)
            complete(ticket, name: name)
        }
        return discarded
    }
}
