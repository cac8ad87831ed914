import AlcedoLocks
import Dispatch
public import Foundation

extension Notification.Name {
    /// Posted on the main queue after expired or evicted files were removed from a disk cache.
    ///
    /// Its object is the ``ImageCache``; ``KingfisherDiskCacheCleanedHashKey`` has the file names.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// The key of the removed files' names, a `[String]`, in the notification's `userInfo`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

extension ImageCache {
    /// Removes all images from memory and disk; the handler runs on the main queue.
    ///
    /// Later lookups find nothing that was stored before. If the disk hangs, the handler runs while the files are still there,
    /// and a ``Diagnostic`` is sent; they are removed once the disk responds. ``flush(within:)`` reports whether they are removed.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        // The disk first: a read that starts in between must not promote an image.
        let isCleared = Countdown(from: 2) {
            if let handler { CallbackQueue.mainAsync.execute(handler) }
        }
        clearDiskCache { isCleared.step() }
        removeAllFromMemory()
        isCleared.step()
    }

    /// Removes all images from memory.
    ///
    /// With ``MemoryStorage/Config/keepWhileInUse``, images that the program holds are still found; ``clearCache(completion:)``
    /// removes these too.
    public func clearMemoryCache() {
        generations.countClear()
        memoryStorage.evictAll()
    }

    /// Removes all images from memory, those in use too.
    func removeAllFromMemory() {
        generations.countClear()
        memoryStorage.removeAll()
        responses.removeAll()
    }

    func clearDisk(
        callbackQueue: CallbackQueue, memory: () -> Void = {}, then handler: (@Sendable () -> Void)?
    ) {
        let end = OnceCallback<Void> { if let handler { callbackQueue.execute(handler) } }
        change { changes in
            generations.countClear()
            let clear: @Sendable () -> Void = { [self] in
                try? diskStorage.removeAll()
                staged.withLock { $0.completeClear() }
                end.call(())
            }
            let stall: @Sendable (DiskStallError) -> Void = { [diskStorage] error in
                diskStorage.report(error)
                end.call(())
            }
            return Change(discarded: changes.clear(), stall: stall, run: clear)
        } memory: {
            memory()
        }
    }

    func cleanDisk(callbackQueue: CallbackQueue, then handler: (@Sendable () -> Void)?) {
        let end = OnceCallback<Void> { if let handler { callbackQueue.execute(handler) } }
        writes.append(stall: { [diskStorage] error in
            diskStorage.report(error)
            end.call(())
        }) { [self] in
            removeExpiredAndExceeding()
            end.call(())
        }
    }

    /// Cleans after the first store, and after one at least 10 minutes after the last cleaning.
    func cleanIfDue() {
        diskStorage.core.cleanIfDue { [weak self] in self?.removeExpiredAndExceeding() }
    }

    private func removeExpiredAndExceeding() {
        let expired = (try? diskStorage.removeExpiredValues()) ?? []
        let exceeding = (try? diskStorage.removeSizeExceededValues()) ?? []
        let names = (expired + exceeding).map(\.lastPathComponent)
        guard !names.isEmpty else { return }
        CallbackQueue.mainAsync.execute { [self] in
            NotificationCenter.default.post(
                name: .KingfisherDidCleanDiskCache, object: self,
                userInfo: [KingfisherDiskCacheCleanedHashKey: names])
        }
    }
}
