import Foundation

extension DiskStorage.Backend {
    /// A value, and the file that it was read from.
    struct ReadEntry {
        let value: T
        fileprivate let name: String
        fileprivate let inode: UInt
        fileprivate let size: Int
    }

    func entry(
        forKey key: String,
        forcedExtension: String?,
        extendingExpiration: ExpirationExtending
    ) throws(KingfisherError) -> ReadEntry? {
        try checkReady()
        let (config, now) = (config, now())
        let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
        let content: DiskFolder.Content?
        do throws(DiskFolder.ReadError) {
            content = try folder.read(name, at: now) { stamp in
                stamp.isPast(at: now)
                    ? nil : stamp.extended(extendingExpiration, from: now, fallback: config.expiration)
            }
        } catch {
            switch error {
            case .attributes(let error):
                throw .cacheError(reason: .invalidURLResource(error: error, key: key, url: url(of: name)))
            case .content(let error):
                throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: error))
            case .damaged(let file):
                drop(name, inode: file.st_ino, size: file.st_size)
                return nil
            }
        }
        guard let content else { return nil }
        let value: T
        do { value = try T.fromData(content.data) } catch {
            throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: error))
        }
        return ReadEntry(
            value: value, name: name, inode: content.attributes.st_ino, size: content.attributes.st_size)
    }

    /// Removes an entry whose content turned out to be damaged, unless another has taken its place.
    func drop(_ entry: ReadEntry) { drop(entry.name, inode: entry.inode, size: entry.size) }

    private func drop(_ name: String, inode: UInt, size: Int) {
        _ = try? folder.remove(name, ledger: config.sizeLimit > 0 ? ledger : nil) {
            $0.st_ino == inode && $0.st_size == size
        }
    }
}
