import Foundation

/// A file that is to become an entry of the disk cache.
struct NewFile {
    let name: String
    let data: Data
    let stamp: DiskStamp
    let accessed: Date

    /// Whether it takes the place of one that is there; if not, that is the error `EEXIST`.
    let replaces: Bool

    func reason(
        of error: DiskFolder.WriteError,
        key: String,
        in folder: URL
    ) -> KingfisherError.CacheErrorReason {
        let url = folder.appendingPathComponent(name, isDirectory: false)
        return switch error {
        case .content(let error):
            .cannotCreateCacheFile(fileURL: url, key: key, data: data, error: error)
        case .times(let error):
            .cannotSetCacheFileAttribute(
                filePath: url.path,
                attributes: [.modificationDate: Date(timeIntervalSince1970: Double(stamp.expiry))],
                error: error
            )
        }
    }
}
