import AlcedoLocks
import Dispatch
public import Foundation

extension Notification.Name {
    /// Posted on the main queue when entries of a disk cache were removed because they had expired or room was needed.
    ///
    /// Its object is the ``ImageCache``; under ``KingfisherDiskCacheCleanedHashKey`` are the names of the files.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// The key of the removed files' names, a `[String]`, in the notification's `userInfo`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

private let cleaningInterval: TimeInterval = 600

extension ImageCache {
    func remove(
        forKey computedKey: String,
        forcedExtension: String?,
        fromMemory: Bool,
        fromDisk: Bool,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        if fromMemory { memoryStorage.remove(forKey: computedKey) }
        guard fromDisk else { return then(.success(())) }
        writing.async { [self] in
            then(Result { try diskStorage.remove(forKey: computedKey, forcedExtension: forcedExtension) })
        }
    }

    func clearDisk(callbackQueue: CallbackQueue, then handler: (@Sendable () -> Void)?) {
        writing.async { [self] in
            try? diskStorage.removeAll()
            if let handler { callbackQueue.execute(handler) }
        }
    }

    func cleanDisk(callbackQueue: CallbackQueue, then handler: (@Sendable () -> Void)?) {
        writing.async { [self] in
            removeExpiredAndExceeding()
            if let handler { callbackQueue.execute(handler) }
        }
    }

    /// Cleans after the first store, and after one that comes ten minutes or more after the last time.
    func cleanIfDue() {
        let now = diskStorage.now()
        let isDue = lastCleaning.withLock { last in
            // A clock that was set back must not put the cleaning off.
            if let last, abs(now.timeIntervalSince(last)) < cleaningInterval { return false }
            last = now
            return true
        }
        guard isDue else { return }
        diskStorage.housekeeping.async { [weak self] in self?.removeExpiredAndExceeding() }
    }

    /// Removes what it can; a folder that can't be listed is reported by the methods of ``DiskStorage/Backend``.
    private func removeExpiredAndExceeding() {
        let expired = (try? diskStorage.removeExpiredValues()) ?? []
        let exceeding = (try? diskStorage.removeSizeExceededValues()) ?? []
        let names = (expired + exceeding).map(\.lastPathComponent)
        guard !names.isEmpty else { return }
        CallbackQueue.mainAsync.execute { [self] in
            NotificationCenter.default.post(
                name: .KingfisherDidCleanDiskCache,
                object: self,
                userInfo: [KingfisherDiskCacheCleanedHashKey: names]
            )
        }
    }
}
