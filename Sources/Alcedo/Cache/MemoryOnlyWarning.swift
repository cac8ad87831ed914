import Foundation
import Synchronization

/// Says once, on the standard error, that a cache's folder can't be written.
final class MemoryOnlyWarning: Sendable {
    private let wasGiven = Atomic(false)
    private let write: @Sendable (String) -> Void

    init(write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }) {
        self.write = write
    }

    func warn(of error: KingfisherError, in storage: DiskStorage.Backend<Data>) {
        let cause: (any Error)? =
            switch error {
            case .cacheError(reason: .diskStorageIsNotReady): storage.folderError
            // That a value is larger than the limit says nothing of the folder.
            case .cacheError(reason: .cannotCreateCacheFile(_, _, let data, let cause)):
                storage.config.isLimited(below: data.count) ? nil : cause
            case .cacheError(reason: .cannotSetCacheFileAttribute(_, _, let cause)): cause
            default: nil
            }
        guard let cause = cause as? POSIXError, !wasGiven.exchange(true, ordering: .relaxed) else { return }
        write(
            "Alcedo: the cache folder \(storage.directoryURL.path) cannot be written (\(cause.reason)); "
                + "images are kept in memory only.\n"
        )
    }
}

extension DiskStorage.Config {
    fileprivate func isLimited(below count: Int) -> Bool { sizeLimit > 0 && sizeLimit <= count }
}
