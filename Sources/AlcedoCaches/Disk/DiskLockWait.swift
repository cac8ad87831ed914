import Dispatch
import Glibc

/// How long a process waits for another one that has an advisory lock of a file.
package struct DiskLockWait: Sendable {
    /// A process that has a lock for so many seconds is taken for stopped.
    let seconds: Double

    /// Called between two attempts.
    let pause: @Sendable () -> Void

    /// For a process that updates the usage of a folder.
    package static let usage = DiskLockWait(seconds: 1)

    /// For a process that compacts an index of variants.
    static let compaction = DiskLockWait(seconds: 2)

    package init(seconds: Double, pause: @escaping @Sendable () -> Void = { usleep(50) }) {
        (self.seconds, self.pause) = (seconds, pause)
    }

    /// Locks a file, shared (`LOCK_SH`) or alone (`LOCK_EX`).
    ///
    /// - Returns: 0, or why it has not: `EWOULDBLOCK` if another process keeps the lock.
    func lock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        let deadline = DispatchTime.now() + seconds
        while flock(descriptor, operation | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            guard reason == EWOULDBLOCK, DispatchTime.now() < deadline else { return reason }
            pause()
        }
        return 0
    }
}
