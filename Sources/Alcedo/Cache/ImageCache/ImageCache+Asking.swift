import AlcedoLocks
import Foundation

extension ImageCache {
    /// Asks whether a cache has the image, the disk on the calling thread.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: whether one has.
    public func isCached(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension
        ).cached
    }

    /// Tells which cache has the image: memory is asked at once, the disk on a thread of its own.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    ///   - callbackQueue: where the handler runs.
    ///   - completionHandler: called once, for a hit in memory before this method returns if the queue allows that.
    ///     With `.none` if the disk hangs.
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
        case .landed: break
        }
        reads.read { [self] in
            imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
        } then: { result in
            let type = (try? result.get()) ?? .none
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// Asks which cache has the image, the disk on a thread of its own.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: the first one that has.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }

    /// What later lookups find of an entry that earlier calls have changed and that has not landed.
    func stagedLookup(
        forKey key: String,
        identifier: String,
        forcedExtension: String?
    ) -> StagedChanges.Lookup {
        if staged.withLock({ $0.isEmpty }) { return .landed }
        let name = diskStorage.fileName(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        return staged.withLock { $0.lookup(name, key: key) }
    }

    /// Whether the disk has an entry, or will have it once earlier calls have landed.
    func isOnDisk(forKey key: String, identifier: String, forcedExtension: String?) -> Bool {
        switch stagedLookup(forKey: key, identifier: identifier, forcedExtension: forcedExtension) {
        case .stored: true
        case .removed: false
        case .landed:
            diskStorage.isCached(
                forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        }
    }

    /// An entry's file, after earlier calls that store it have landed; nil if there is none.
    func landedFile(forKey key: String, identifier: String, forcedExtension: String?) -> URL? {
        switch stagedLookup(forKey: key, identifier: identifier, forcedExtension: forcedExtension) {
        case .removed: return nil
        case .stored: guard writes.flush() else { return nil }
        case .landed: break
        }
        let computedKey = key.computedKey(with: identifier)
        guard diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) else { return nil }
        return diskStorage.cacheFileURL(forKey: computedKey, forcedExtension: forcedExtension)
    }
}
