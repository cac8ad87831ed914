import Foundation

/// An entry to be written.
struct NewFile {
    let name: String
    let data: Data
    let stamp: DiskStamp
    let accessed: Date

    /// Whether it replaces an existing file; if false, one fails with `EEXIST`.
    let replaces: Bool

    /// The error of a store whose write has failed.
    func failure(_ error: DiskFolder.WriteError, limit: Int) -> DiskStorage.Failure {
        switch error {
        case .content(let error): .file(name: name, data: data, error)
        case .times(let error):
            .times(name: name, expiry: Date(timeIntervalSince1970: Double(stamp.expiry)), error)
        case .overQuota: .file(name: name, data: data, DiskQuotaError(size: data.count, limit: limit))
        }
    }
}
