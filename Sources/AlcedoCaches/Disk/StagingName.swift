import Foundation
import Glibc
import Synchronization

/// The name of a staging file, which becomes an entry by a rename: `.alcedo-<process>-<number>-<bytes>`.
///
/// `bytes` is the size of the entry, so that a listing counts all of it.
enum StagingName {
    /// What a sweep found under a hidden name.
    enum Found: Equatable {
        case other

        /// A file in use, or one that has become an entry since it was listed.
        case written(bytes: Int)

        /// An abandoned file, which is removed now.
        case removed
    }

    private static let prefix = ".alcedo-"
    private static let counter = Atomic(0)
    private static let process = getpid()

    static func next(bytes: Int) -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)\(process)-\(number)-\(bytes)"
    }

    /// The bytes in a staging name; 0 for other names.
    static func bytes(in name: UnsafePointer<CChar>) -> Int {
        let fields = String(cString: name).dropFirst(prefix.count).split(separator: "-")
        return fields.count == 3 ? max(0, Int(fields[2]) ?? 0) : 0
    }

    /// Removes a staging file if it is abandoned: once its advisory lock is free.
    ///
    /// An empty file may not be locked yet. It is abandoned, as is a file that can't be locked, after 60 s if its process has
    /// ended, and after an hour in any case. The 60 s are for the processes of other containers.
    ///
    /// The lock is held until the file is gone: a process that locks it in between would reserve room for a file that the next
    /// listing does not see.
    static func removeIfAbandoned(
        _ name: UnsafePointer<CChar>,
        in folder: Int32,
        attributes: stat,
        at now: Date
    ) -> Found {
        let text = String(cString: name)
        guard text.hasPrefix(prefix),
            let number = pid_t(text.dropFirst(prefix.count).prefix { $0 != "-" })
        else { return .other }
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 || errno != ENOENT else { return .written(bytes: bytes(in: name)) }
        defer { if descriptor >= 0 { closeUnlocked(descriptor) } }
        if descriptor >= 0 {
            var locked = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if fstat(descriptor, &locked) == 0, locked.st_size > 0 { return remove(name, in: folder) }
            } else if errno == EWOULDBLOCK {
                return .written(bytes: bytes(in: name))
            }
        }
        let age = now.timeIntervalSince1970 - Double(attributes.st_ctim.tv_sec)
        let isGone = number <= 0 || kill(number, 0) != 0 && errno == ESRCH
        guard age > 3600 || age > 60 && isGone else { return .written(bytes: attributes.st_size) }
        return remove(name, in: folder)
    }

    /// It may have been renamed, and its lock released, since it was opened.
    private static func remove(_ name: UnsafePointer<CChar>, in folder: Int32) -> Found {
        unlinkat(folder, name, 0) != 0 && errno == ENOENT ? .written(bytes: bytes(in: name)) : .removed
    }
}
