package import Foundation
import Glibc

extension DiskStorage.Core {
    /// Removes an entry; a missing one is no error.
    ///
    /// - Throws: `notReady`; a `POSIXError` if the file can't be removed.
    package func remove(forKey key: String, forcedExtension: String? = nil) throws {
        try checkReady()
        try remove(named: fileName(forKey: key, forcedExtension: forcedExtension))
    }

    func remove(named name: String, if shouldRemove: ((stat) -> Bool)? = nil) throws(POSIXError) {
        let listings = quota.listings
        let bytes = try folder.remove(name, if: shouldRemove)
        if config.sizeLimit > 0 { quota.release(bytes, since: listings) }
    }

    /// Removes all files of the folder, but neither subfolders nor the targets of links.
    ///
    /// - Returns: how many were removed, and how many could not be.
    /// - Throws: `notReady`, `listing`, `folder`.
    @discardableResult
    package func clear() throws(DiskStorage.Failure) -> (removed: Int, left: Int) {
        try checkReady()
        let date = now()
        variants.clear()
        let counts = try sweep { folder throws(DiskFolder.SweepError) in try folder.removeAll(at: date) }
        if config.sizeLimit > 0 {
            counting.lock()
            defer { counting.unlock() }
            _ = try sweep { _ throws(DiskFolder.SweepError) in try count() }
        }
        do throws(POSIXError) { try makeFolder(folder.path) } catch {
            throw .folder(error)
        }
        return counts
    }

    /// Removes all expired entries, and the staging files of killed processes.
    ///
    /// If most entries expired over a month ago, the clock may be wrong, and they stay for another day.
    ///
    /// - Returns: the removed entries' files.
    /// - Throws: `notReady`, `listing`.
    package func removeExpiredValues() throws(DiskStorage.Failure) -> [URL] {
        try checkReady()
        counting.lock()
        defer { counting.unlock() }
        let (date, limit) = (now(), config.sizeLimit)
        var removed: [URL] = []
        var listings = quota.listings
        func removeExpired(sparingOverdue: Bool, kept: (stat) -> Void) throws(DiskFolder.SweepError) {
            try folder.sweep(
                at: date,
                removing: { $0.isExpired(at: date, sparingOverdue: sparingOverdue) },
                removed: { name, bytes in
                    if limit > 0 { listings = quota.evict(bytes, since: listings) }
                    removed.append(url(of: String(cString: name)))
                },
                kept: kept)
        }
        var (overdue, kept) = (0, 0)
        try sweep { folder throws(DiskFolder.SweepError) in
            try removeExpired(sparingOverdue: true) {
                kept += 1
                if $0.isOverdue(at: date) { overdue += 1 }
            }
            if !ClockSkewGuard(folder: folder).keepsOverdue(overdue, of: kept, at: date), overdue > 0 {
                try removeExpired(sparingOverdue: false) { _ in }
            }
        }
        return removed
    }

    /// If the size limit is reached, evicts the least recently read entries down to half of it.
    ///
    /// - Returns: the removed entries' files.
    /// - Throws: `notReady`, `listing`.
    package func removeSizeExceededValues() throws(DiskStorage.Failure) -> [URL] {
        try checkReady()
        let limit = Int(clamping: config.sizeLimit)
        guard limit > 0 else { return [] }
        var removed: [URL] = []
        _ = try sweep { _ throws(DiskFolder.SweepError) in
            try trim(to: limit) { removed.append(url(of: String(cString: $0))) }
        }
        return removed
    }

    /// The bytes of all entries, including expired ones.
    ///
    /// - Throws: `notReady`, `listing`.
    package func totalSize() throws(DiskStorage.Failure) -> UInt {
        try checkReady()
        var total = 0
        try sweep { folder throws(DiskFolder.SweepError) in try folder.forEachEntry { total += $1.st_size } }
        return UInt(total)
    }
}
