public import Foundation
import Glibc

extension DiskStorage.Backend {
    /// Removes the value under `key`; that there is none is no error.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if the file can't be removed.
    public func remove(forKey key: String, forcedExtension: String? = nil) throws {
        try checkReady()
        try remove(named: fileName(forKey: key, forcedExtension: forcedExtension))
    }

    /// Removes all files in the folder; what a link points to stays, as do folders in it.
    ///
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `cannotCreateDirectory`,
    ///   `diskStorageIsNotReady`.
    public func removeAll() throws(KingfisherError) {
        try clear()
    }

    /// Removes all entries that have expired, and what killed processes left half-written.
    ///
    /// Where most entries expired over a month ago, the clock may be what is wrong: those stay for another day.
    ///
    /// - Returns: the entries' files.
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
    public func removeExpiredValues() throws(KingfisherError) -> [URL] {
        try checkReady()
        let (date, limit) = (now(), config.sizeLimit)
        var removed: [URL] = []
        func removeExpired(sparingOverdue: Bool, kept: (stat) -> Void) throws(DiskFolder.SweepError) {
            try folder.sweep(
                at: date,
                removing: { $0.isExpired(at: date, sparingOverdue: sparingOverdue) },
                removed: { name, bytes in
                    if limit > 0 { quota.evict(bytes) }
                    removed.append(url(of: String(cString: name)))
                },
                kept: kept
            )
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

    /// If the size limit is reached, removes what was read least recently, down to half the limit.
    ///
    /// - Returns: the entries' files.
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
    public func removeSizeExceededValues() throws(KingfisherError) -> [URL] {
        try checkReady()
        let limit = Int(clamping: config.sizeLimit)
        guard limit > 0 else { return [] }
        var removed: [URL] = []
        _ = try sweep { _ throws(DiskFolder.SweepError) in
            try trim(to: limit) { removed.append(url(of: String(cString: $0))) }
        }
        return removed
    }

    /// The bytes that all entries take together, expired ones included.
    ///
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
    public func totalSize() throws(KingfisherError) -> UInt {
        try checkReady()
        var total = 0
        try sweep { folder throws(DiskFolder.SweepError) in
            try folder.forEachEntry { total += $1.st_size }
        }
        return UInt(total)
    }

    func remove(named name: String, if shouldRemove: ((stat) -> Bool)? = nil) throws(POSIXError) {
        let bytes = try folder.remove(name, if: shouldRemove)
        if config.sizeLimit > 0 { quota.release(bytes) }
    }
}
