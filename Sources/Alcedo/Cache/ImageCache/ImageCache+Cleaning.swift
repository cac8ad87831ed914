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
    /// Removes everything from memory.
    public func clearMemoryCache() {
        generations.noteClear()
        memoryStorage.removeAll()
    }

    func remove(
        forKey key: String,
        identifier: String,
        forcedExtension: String?,
        fromMemory: Bool,
        fromDisk: Bool,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let computedKey = key.computedKey(with: identifier)
        guard fromDisk else {
            generations.noteRemoval(ofKey: key)
            if fromMemory { memoryStorage.remove(forKey: computedKey) }
            return then(.success(()))
        }
        let name = diskStorage.fileName(forKey: computedKey, forcedExtension: forcedExtension)
        change { changes in
            generations.noteRemoval(ofKey: key)
            let (ticket, unread) = changes.remove(name: name, key: key)
            return (
                unread.map { [$0] } ?? [],
                { [self] in
                    let result = Result {
                        try diskStorage.remove(forKey: computedKey, forcedExtension: forcedExtension)
                    }
                    land(ticket, name: name)
                    then(result)
                }
            )
        } memory: {
            if fromMemory { memoryStorage.remove(forKey: computedKey) }
        }
    }

    /// Stages a change of the disk, adds what makes it to the queue, and changes memory.
    ///
    /// In this order: a read that begins before the change is staged does not promote what it finds, as it sees another
    /// generation then, and one that begins later does not see the old file. What is promoted in between is gone from memory
    /// when this returns. The disk is changed, and its caller told, after memory.
    ///
    /// - Parameters:
    ///   - stage: stages the change and raises the generation; returns the values that nobody will read, and what changes
    ///     the disk.
    ///   - memory: changes memory.
    func change(
        _ stage: (inout StagedChanges) -> (unread: [StagedValue], job: @Sendable () -> Void),
        memory: () -> Void
    ) {
        let isMemoryChanged = DispatchSemaphore(value: 0)
        let unread = staged.withLock { changes in
            let (unread, job) = stage(&changes)
            writes.append(DiskWriteQueue.Job(prepare: { isMemoryChanged.wait() }, run: job))
            return unread
        }
        memory()
        isMemoryChanged.signal()
        withExtendedLifetime(unread) {}
    }

    func clearDisk(
        callbackQueue: CallbackQueue, memory: () -> Void = {}, then handler: (@Sendable () -> Void)?
    ) {
        change { changes in
            generations.noteClear()
            return (
                changes.clear(),
                { [self] in
                    try? diskStorage.removeAll()
                    staged.withLock { $0.landClear() }
                    if let handler { callbackQueue.execute(handler) }
                }
            )
        } memory: {
            memory()
        }
    }

    func cleanDisk(callbackQueue: CallbackQueue, then handler: (@Sendable () -> Void)?) {
        writes.append { [self] in
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
