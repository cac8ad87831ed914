import AlcedoLocks
import Dispatch
import Foundation
import Glibc

/// Writes down when entries were read and what that extends, some time after the reads.
///
/// A burst of reads costs one hop to the queue.
final class DiskAccessLog: Sendable {
    struct Access: Sendable {
        let path: String
        let inode: UInt
        let stamp: DiskStamp
        let newStamp: DiskStamp
        let date: Date
    }

    private let queue: DispatchQueue
    private let pending = Lock<[Access]>([])

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func note(_ access: Access) {
        let isFirst = pending.withLock { pending in
            pending.append(access)
            return pending.count == 1
        }
        if isFirst { queue.async { [self] in write() } }
    }

    private func write() {
        for access in pending.withLock({ exchange(&$0, with: []) }) {
            // A file that was stored again meanwhile has an expiry of its own.
            guard let file = attributes(ofPath: access.path), file.st_ino == access.inode,
                file.stamp == access.stamp
            else { continue }
            let modified = access.newStamp == access.stamp ? omittedTime : access.newStamp.time
            utimensat(AT_FDCWD, access.path, [timespec(access.date), modified], AT_SYMLINK_NOFOLLOW)
        }
    }
}
