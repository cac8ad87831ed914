import AlcedoLocks
import Foundation

extension ImageCache {
    /// Whether a cache has the image; reads the disk on the calling thread.
    public func isCached(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension
        ).cached
    }

    /// Finds the first cache that has the image, without blocking for the disk.
    ///
    /// For a memory hit the handler may run before this method returns. A stalled disk counts as a miss.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        if memoryStorage.isCached(forKey: key.computedKey(with: identifier)) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        switch stagedLookup(forKey: key, identifier: identifier, forcedExtension: forcedExtension) {
        case .stored: return callbackQueue.execute { completionHandler(.disk) }
        case .removed: return callbackQueue.execute { completionHandler(.none) }
        case .notStaged: break
        }
        reads.read { [self] in
            imageCachedType(forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
        } then: { result in
            let type = (try? result.get()) ?? .none
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// The first cache that has the image; a stalled disk counts as a miss.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        let result = OneShot<CacheType, Never>()
        imageCachedTypeAsync(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            callbackQueue: .untouch
        ) { result.finish(.success($0)) }
        return await result.value()
    }

    /// Whether the disk itself has an entry, whatever is staged; false if the disk stalls.
    package func hasLanded(forKey key: String) async -> Bool {
        let result = OneShot<Bool, Never>()
        reads.read { [diskStorage] in
            diskStorage.isCached(forKey: key)
        } then: {
            result.finish(.success((try? $0.get()) ?? false))
        }
        return await result.value()
    }

    /// What earlier calls have staged for a file of the key.
    func stagedLookup(_ name: String, key: String) -> StagedChanges.Lookup {
        staged.withLock { $0.lookup(name, key: key) }
    }

    /// What earlier calls have staged for an entry.
    func stagedLookup(
        forKey key: String, identifier: String, forcedExtension: String?
    ) -> StagedChanges.Lookup {
        let name = diskStorage.fileName(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        return stagedLookup(name, key: key)
    }

    /// Whether the disk has an entry, counting staged changes as made.
    func isOnDisk(forKey key: String, identifier: String, forcedExtension: String?) -> Bool {
        switch stagedLookup(forKey: key, identifier: identifier, forcedExtension: forcedExtension) {
        case .stored: true
        case .removed: false
        case .notStaged:
            diskStorage.isCached(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        }
    }

    /// An entry's file, once a staged write of it is on disk; nil if there is none.
    func flushedFile(forKey key: String, identifier: String, forcedExtension: String?) -> URL? {
        switch stagedLookup(forKey: key, identifier: identifier, forcedExtension: forcedExtension) {
        case .removed: return nil
        case .stored: guard waitForStores(ofKey: key) else { return nil }
        case .notStaged: break
        }
        let computedKey = key.computedKey(with: identifier)
        guard diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) else { return nil }
        return diskStorage.cacheFileURL(forKey: computedKey, forcedExtension: forcedExtension)
    }

    /// Adds up the files in call order, so that earlier stores count.
    func measureDisk(
        callbackQueue: CallbackQueue,
        then handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        let end = OnceCallback<Result<UInt, KingfisherError>> { size in
            callbackQueue.execute { handler(size) }
        }
        afterStores(stall: { [diskStorage] error in
            let reason = KingfisherError.CacheErrorReason.cannotLoadDataFromDisk(
                url: diskStorage.directoryURL, error: error)
            end.call(.failure(.cacheError(reason: reason)))
        }) { [self] in
            end.call(Result { () throws(KingfisherError) in try diskStorage.totalSize() })
        }
    }
}
