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

    /// Removes all files in the folder, as ``removeAll()`` does.
    ///
    /// - Returns: how many went, and how many could not be removed. What others have stored meanwhile is not among these.
    /// - Throws: as ``removeAll()`` does.
    @discardableResult
    package func clear() throws(KingfisherError) -> (removed: Int, left: Int) {
        try checkReady()
        let date = now()
        variants.clear()
        let counts = try sweep { folder throws(DiskFolder.SweepError) in try folder.removeAll(at: date) }
        if config.sizeLimit > 0 {
            _ = try sweep { _ throws(DiskFolder.SweepError) in try count() }
        }
        do throws(POSIXError) { try makeFolder(folder.path) } catch {
            throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: error))
        }
        return counts
    }
}
