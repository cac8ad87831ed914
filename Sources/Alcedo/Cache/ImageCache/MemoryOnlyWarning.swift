import Foundation
import Glibc
import Synchronization

/// Says once, on the standard error, that a cache's folder can't be written, or not as fast as images come.
final class MemoryOnlyWarning: Sendable {
    private let wasGiven = Atomic(false)
    private let write: @Sendable (String) -> Void

    init(write: @escaping @Sendable (String) -> Void = { writeToStandardError($0) }) {
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
        let reason: String
        var fault = "cannot be written"
        switch cause {
        case let error as POSIXError: reason = error.reason
        case let error as DiskStallError:
            reason = error.description
            if error.waitingBytes > 0 { fault = "is written too slowly" }
        default: return
        }
        guard !wasGiven.exchange(true, ordering: .relaxed) else { return }
        write(
            "Alcedo: the cache folder \(storage.directoryURL.path) \(fault) (\(reason)); "
                + "images are kept in memory only.\n"
        )
    }
}

/// Writes a line, unless that would block: nobody may read the pipe.
private func writeToStandardError(_ line: String) {
    var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
    FileHandle.standardError.write(Data(line.utf8))
}

extension DiskStorage.Config {
    fileprivate func isLimited(below count: Int) -> Bool { sizeLimit > 0 && sizeLimit <= count }
}
