import AlcedoPixels
import Foundation
import Synchronization

/// Sends one diagnostic per cache if its folder can't be written, or not as fast as images arrive.
final class DiskFaultReport: Sendable {
    private let isSent = Atomic(false)
    private let send: @Sendable (Diagnostic) -> Void

    init(send: @escaping @Sendable (Diagnostic) -> Void = { $0.send() }) {
        self.send = send
    }

    func report(_ error: KingfisherError, in storage: DiskStorage.Backend<Data>) {
        let cause: (any Error)? =
            switch error {
            case .cacheError(reason: .diskStorageIsNotReady): storage.core.folderError
            case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let cause)): cause
            case .cacheError(reason: .cannotSetCacheFileAttribute(_, _, let cause)): cause
            default: nil
            }
        // A `DiskQuotaError` is the limit at work.
        let reason: String
        switch cause {
        case let error as POSIXError: reason = error.reason
        case let error as DiskStallError: reason = error.description
        default: return
        }
        report(reason, in: storage)
    }

    /// Reports what only waits for the disk, where nobody gets an error.
    func report(_ stall: DiskStallError, in storage: DiskStorage.Backend<Data>) {
        report(stall.description, in: storage)
    }

    private func report(_ reason: String, in storage: DiskStorage.Backend<Data>) {
        guard !isSent.exchange(true, ordering: .relaxed) else { return }
        send(.memoryOnlyCache(folder: storage.directoryURL.path, reason: reason))
    }
}
