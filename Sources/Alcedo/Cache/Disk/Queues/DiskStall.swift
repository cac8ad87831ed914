import Dispatch
public import Foundation

/// A disk that did not answer in time, as one that hangs does, or that images are loaded faster than it writes.
public struct DiskStallError: Error, Equatable {
    /// How long the disk was waited for at least, in seconds; 0 for one that works.
    public let seconds: Int

    /// Bytes that waited to be written to a disk that works; 0 for one that does not answer.
    public let waitingBytes: Int

    init(seconds: Int) {
        self.seconds = seconds
        waitingBytes = 0
    }

    init(waiting bytes: Int) {
        seconds = 0
        waitingBytes = bytes
    }
}

extension DiskStallError: LocalizedError, CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        seconds > 0
            ? "the disk has not answered for \(seconds) seconds; check whether it hangs or its file system is gone"
            : "\(waitingBytes >> 20) MiB wait to be written; load fewer images at once or use a faster disk"
    }

    /// ``description``.
    public var errorDescription: String? { description }
}

/// How often the queues of a disk look whether it hangs: an operation that lasts a whole interval counts as stalled.
struct DiskStallCheck: Sendable {
    /// Runs a check an interval later.
    let schedule: @Sendable (_ check: @escaping @Sendable () -> Void) -> Void

    let error: DiskStallError

    static let standard = every(seconds: 5)

    /// Looks every so many seconds.
    static func every(seconds: Int) -> DiskStallCheck {
        DiskStallCheck(
            schedule: { check in
                DispatchQueue.global(qos: .utility)
                    .asyncAfter(deadline: .now() + .seconds(seconds), execute: check)
            },
            error: DiskStallError(seconds: seconds)
        )
    }
}
