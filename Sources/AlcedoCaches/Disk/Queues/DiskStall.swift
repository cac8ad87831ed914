import Dispatch
public import Foundation

/// A disk that does not respond, or that is slower than images arrive.
public struct DiskStallError: Error, Equatable {
    /// Seconds without a response; 0 for a slow disk.
    public let seconds: Int

    /// Bytes that wait to be written to a slow disk; 0 for one that does not respond.
    public let waitingBytes: Int

    init(seconds: Int) { (self.seconds, waitingBytes) = (seconds, 0) }

    init(waiting bytes: Int) { (seconds, waitingBytes) = (0, bytes) }
}

extension DiskStallError: LocalizedError, CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        seconds > 0
            ? "the disk has not responded for \(seconds) s; check whether it hangs or its file system is gone"
            : "\(waitingBytes >> 20) MiB wait to be written; load fewer images at once or use a faster disk"
    }

    public var errorDescription: String? { description }
}

/// The interval of stall checks: an operation that lasts a whole interval is stalled.
package struct DiskStallCheck: Sendable {
    /// Runs a check one interval later.
    let schedule: @Sendable (_ check: @escaping @Sendable () -> Void) -> Void

    package let error: DiskStallError

    package static let standard = every(seconds: 5)

    static func every(seconds: Int) -> DiskStallCheck {
        DiskStallCheck(
            schedule: { check in
                DispatchQueue.global(qos: .utility)
                    .asyncAfter(deadline: .now() + .seconds(seconds), execute: check)
            },
            error: DiskStallError(seconds: seconds))
    }
}
