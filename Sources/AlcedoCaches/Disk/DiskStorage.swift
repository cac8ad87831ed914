public import Foundation
import Glibc

/// The cache on disk.
public enum DiskStorage {
    /// The folder, the limits and the lifetimes of a disk cache.
    public struct Config: Sendable {
        /// Largest sum of all files in bytes; 0 for no limit.
        ///
        /// A store that reaches the limit starts a trim to half of it in the background: expired entries are removed
        /// first, then the least recently read ones. A store that would exceed the limit by more than 5 % waits for that, or
        /// trims itself; if that makes no room, it is dropped with a ``DiskQuotaError``. A value of at least this size fails with
        /// `EFBIG`. The limit is common to all processes that share the folder and set one.
        public var sizeLimit: UInt

        /// The lifetime of an entry after it was stored or last read; 7 days by default.
        public var expiration: StorageExpiration = .days(7)

        /// The extension of every file's name, without a dot; none by default.
        public var pathExtension: String? = nil

        /// Names files by the SHA-256 of their keys; true by default.
        ///
        /// If false, the key is the name, with `%`, `/`, the zero character and a leading dot percent-encoded. A name over
        /// 255 bytes is hashed in any case.
        public var usesHashedFileName = true

        /// Adds the key's extension to a hashed name; false by default.
        ///
        /// The extension is 1 to 20 letters and digits after the last dot before the first `@`.
        public var autoExtAfterHashedFileName = false

        /// Changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``; none by default.
        ///
        /// Entries that it can't restore are misses, as are those that it wrote once it is no longer set. Names are not
        /// transformed. The URL and the path of an entry are those of the transformed file.
        public var transform: (any DiskTransform)?

        // Implicitly unwrapped as in Kingfisher, so that code that calls it compiles.
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        /// Makes the folder's URL from the folder for caches and the cache's name; called once, then dropped.
        ///
        /// By default the cache is a folder of that name.
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = {
            directory, cacheName in directory.appendingPathComponent(cacheName, isDirectory: true)
        }

        public let name: String

        let directory: URL

        /// A configuration for the folder `com.onevcat.Kingfisher.ImageCache.<name>`.
        ///
        /// - Parameters:
        ///   - name: the cache's name; must not be empty.
        ///   - sizeLimit: ``sizeLimit``.
        ///   - fileManager: finds the user's caches folder.
        ///   - directory: the parent folder; nil for the user's caches folder, `$XDG_CACHE_HOME` or `~/.cache`.
        public init(
            name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.directory =
                directory ?? fileManager.urls(for: .cachesDirectory, in: .userDomainMask).first
                ?? fileManager.temporaryDirectory
        }
    }
}

extension DiskStorage.Config {
    var folderURL: URL {
        let cacheName = "com.onevcat.Kingfisher.ImageCache.\(name)"
        return cachePathBlock?(directory, cacheName)
            ?? directory.appendingPathComponent(cacheName, isDirectory: true)
    }
}

extension DiskStorage {
    /// An entry in a listing; its key is not known.
    package struct Entry: Sendable {
        package let name: String

        /// Bytes.
        package let size: Int

        /// When it was last read or stored.
        package let lastAccess: Date

        /// Nil for never.
        package let expiry: Date?
    }
}

extension DiskStorage.Core {
    /// All entries, including expired ones, most recently used first.
    ///
    /// - Throws: `notReady`, `listing`.
    package func entries() throws(DiskStorage.Failure) -> [DiskStorage.Entry] {
        try checkReady()
        var entries: [DiskStorage.Entry] = []
        try sweep { folder throws(DiskFolder.SweepError) in
            try folder.forEachEntry { name, file in
                let expiry = Date(timeIntervalSince1970: TimeInterval(file.stamp.expiry))
                entries.append(
                    DiskStorage.Entry(
                        name: String(cString: name), size: file.st_size,
                        lastAccess: Date(timeIntervalSince1970: TimeInterval(file.st_atim.tv_sec)),
                        expiry: file.stamp == .never ? nil : expiry))
            }
        }
        return entries.sorted { $0.lastAccess > $1.lastAccess }
    }
}

extension DiskStorage {
    /// The bytes of an entry, and the identity of its file.
    package struct ReadEntry {
        package fileprivate(set) var data: Data
        package let name: String
        package let verdict: EntryChecksum.Verdict
        fileprivate let inode: UInt
        fileprivate let size: Int
    }

    /// A configuration behind one reference, which is cheaper to retain than its parts.
    final class Settings: Sendable {
        let config: Config

        init(_ config: Config) { self.config = config }
    }
}

extension DiskStorage.Core {
    /// Reads an entry, and writes the access time and the new expiry; nil if there is none or it has expired.
    ///
    /// - Throws: `notReady`, `attributes`, `content`.
    package func entry(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending
    ) throws(DiskStorage.Failure) -> DiskStorage.ReadEntry? {
        try entry(
            named: fileName(forKey: key, forcedExtension: forcedExtension),
            extendingExpiration: extendingExpiration)
    }

    /// Also an entry's bytes; for a caller that has ``fileName(forKey:forcedExtension:)``.
    package func entry(
        named name: String, extendingExpiration: ExpirationExtending
    ) throws(DiskStorage.Failure) -> DiskStorage.ReadEntry? {
        try checkReady()
        let settings = currentSettings
        let content: DiskFolder.Content?
        do throws(DiskFolder.ReadError) {
            content = try folder.read(name) { file in
                // A miss reads no clock.
                let now = now()
                guard !file.stamp.isPast(at: now) else { return nil }
                let stamp = file.stamp.extended(
                    extendingExpiration, from: now, accessed: file.st_atim.tv_sec,
                    fallback: settings.config.expiration)
                return (now, stamp)
            }
        } catch {
            switch error {
            case .attributes(let error): throw .attributes(name: name, error)
            case .content(let error): throw .content(name: name, error)
            case .damaged(let file):
                drop(name, inode: file.st_ino, size: file.st_size)
                return nil
            }
        }
        let entry = content.map {
            DiskStorage.ReadEntry(
                data: $0.data, name: name, verdict: $0.verdict, inode: $0.attributes.st_ino,
                size: $0.attributes.st_size)
        }
        guard let entry, let transform = settings.config.transform else { return entry }
        return restored(entry, by: transform)
    }

    /// The entry with the data that were transformed; nil if that fails, and a damaged entry is removed.
    private func restored(
        _ entry: DiskStorage.ReadEntry, by transform: any DiskTransform
    ) -> DiskStorage.ReadEntry? {
        var entry = entry
        do throws(DiskTransformError) {
            entry.data = try transform.open(entry.data, fileName: entry.name)
            return entry
        } catch {
            // Without the key it stays: a program with a wrong configuration must not empty its cache.
            if error == .damaged { drop(entry) }
            return nil
        }
    }

    /// Removes a corrupt entry, unless its file was replaced meanwhile.
    package func drop(_ entry: DiskStorage.ReadEntry) {
        drop(entry.name, inode: entry.inode, size: entry.size)
    }

    private func drop(_ name: String, inode: UInt, size: Int) {
        try? remove(named: name) { $0.st_ino == inode && $0.st_size == size }
    }
}

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
        // First, so that an entry that is stored during the listing has its line in the new index.
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
