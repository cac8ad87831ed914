package import AlcedoPixels
import Foundation
import Synchronization

/// Sends one diagnostic per cache if its folder can't be written, or not as fast as stores come.
package final class DiskFaultReport: Sendable {
    private let isSent = Atomic(false)
    private let send: @Sendable (Diagnostic) -> Void

    package init(send: @escaping @Sendable (Diagnostic) -> Void = { $0.send() }) {
        self.send = send
    }

    /// Reports why a store has failed or waits, unless that is the limit at work: a ``DiskQuotaError``.
    package func report(_ cause: any Error, in disk: DiskStorage.Core) {
        let reason: String
        switch cause {
        case let error as POSIXError: reason = error.reason
        case let error as DiskStallError: reason = error.description
        default: return
        }
        guard !isSent.exchange(true, ordering: .relaxed) else { return }
        send(.memoryOnlyCache(folder: disk.directoryURL.path, reason: reason))
    }
}
