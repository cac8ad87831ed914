package import Foundation

extension DiskStorage {
    /// One file of a disk cache, as a listing shows it.
    package struct Entry: Sendable {
        /// The file's name; its key can't be told from it.
        package let name: String

        /// Bytes.
        package let size: Int

        /// When it was last read or stored.
        package let lastAccess: Date

        /// When it expires; nil for never.
        package let expiry: Date?
    }
}

extension DiskStorage.Backend {
    /// All entries, expired ones included, the last used first.
    ///
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
    package func entries() throws(KingfisherError) -> [DiskStorage.Entry] {
        try checkReady()
        let listing = try sweep { folder throws(DiskFolder.SweepError) in try folder.list() }
        return listing.entries.compactMap { entry in
            guard let name = listing.withName(of: entry, { String(cString: $0) }) else { return nil }
            let stamp = DiskStamp(entry.modified)
            return DiskStorage.Entry(
                name: name,
                size: entry.size,
                lastAccess: Date(timeIntervalSince1970: TimeInterval(entry.accessed.tv_sec)),
                expiry: stamp == .never ? nil : Date(timeIntervalSince1970: TimeInterval(stamp.expiry))
            )
        }
        .sorted { $0.lastAccess > $1.lastAccess }
    }
}
