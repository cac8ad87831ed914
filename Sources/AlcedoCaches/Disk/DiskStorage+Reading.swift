package import Foundation

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
        try checkReady()
        let settings = currentSettings
        let name = settings.config.fileName(forKey: key, forcedExtension: forcedExtension)
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
