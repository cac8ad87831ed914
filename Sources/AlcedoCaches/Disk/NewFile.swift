import Foundation

/// An entry to be written.
struct NewFile {
    let name: String
    let data: Data
    let stamp: DiskStamp
    let accessed: Date

    /// Whether it replaces an existing file; if false, one fails with `EEXIST`.
    let replaces: Bool

    func reason(
        of error: DiskFolder.WriteError, key: String, in folder: URL, limit: Int
    ) -> KingfisherError.CacheErrorReason {
        let url = folder.appendingPathComponent(name, isDirectory: false)
        return switch error {
        case .content(let error):
            .cannotCreateCacheFile(fileURL: url, key: key, data: data, error: error)
        case .times(let error):
            .cannotSetCacheFileAttribute(
                filePath: url.path,
                attributes: [.modificationDate: Date(timeIntervalSince1970: Double(stamp.expiry))],
                error: error)
        case .overQuota:
            .cannotCreateCacheFile(
                fileURL: url, key: key, data: data, error: DiskQuotaError(size: data.count, limit: limit))
        }
    }
}
