import Foundation
import Glibc
import Synchronization

/// The name of a staging file, which becomes an entry by a rename: `.alcedo-<process>-<number>-<bytes>`.
///
/// The name says how large the entry will be, so that a listing counts the whole of it.
enum StagingName {
    /// What the file of a hidden name is.
    enum State: Equatable {
        case other, abandoned
        case written(bytes: Int)
    }

    private static let prefix = ".alcedo-"
    private static let counter = Atomic(0)
    private static let process = getpid()

    static func next(bytes: Int) -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)\(process)-\(number)-\(bytes)"
    }

    /// The bytes that a name says; 0 for other names.
    static func bytes(in name: UnsafePointer<CChar>) -> Int {
        let fields = String(cString: name).dropFirst(prefix.count).split(separator: "-")
        return fields.count == 3 ? max(0, Int(fields[2]) ?? 0) : 0
    }

    /// A staging file is abandoned once nobody holds its advisory lock.
    ///
    /// An empty file may not have been locked yet. It is abandoned, as is any file that can't be locked, after a minute
    /// if its process is gone, and after an hour in any case. The minute is for processes of another container.
    static func state(
        of name: UnsafePointer<CChar>,
        in folder: Int32,
        attributes: stat,
        at now: Date
    ) -> State {
        let text = String(cString: name)
        guard text.hasPrefix(prefix),
            let number = pid_t(text.dropFirst(prefix.count).prefix { $0 != "-" })
        else { return .other }
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 || errno != ENOENT else { return .written(bytes: bytes(in: name)) }
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 {
            var locked = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if fstat(descriptor, &locked) == 0, locked.st_size > 0 { return .abandoned }
            } else if errno == EWOULDBLOCK {
                return .written(bytes: bytes(in: name))
            }
        }
        let age = now.timeIntervalSince1970 - Double(attributes.st_ctim.tv_sec)
        let isGone = number <= 0 || kill(number, 0) != 0 && errno == ESRCH
        return age > 3600 || age > 60 && isGone ? .abandoned : .written(bytes: attributes.st_size)
    }
}
