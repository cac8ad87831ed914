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
        var entries: [DiskStorage.Entry] = []
        try sweep { folder throws(DiskFolder.SweepError) in
            try folder.forEachEntry { name, file in
                entries.append(
                    DiskStorage.Entry(
                        name: String(cString: name),
                        size: file.st_size,
                        lastAccess: Date(timeIntervalSince1970: TimeInterval(file.st_atim.tv_sec)),
                        expiry: file.stamp == .never
                            ? nil : Date(timeIntervalSince1970: TimeInterval(file.stamp.expiry))
                    )
                )
            }
        }
        return entries.sorted { $0.lastAccess > $1.lastAccess }
    }
}
