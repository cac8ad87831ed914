package import Foundation

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
