import Foundation
import Glibc

/// Delays the removal of entries that expired so long ago that the clock may be wrong.
///
/// A cache in use removes an entry within minutes of its expiry. If most entries expired over a month ago, the cache was
/// not used for that long, or the clock is years ahead. The modification time of the file `.alcedo-clock` is when that was
/// first seen. Such entries are removed a day after it.
struct ClockSkewGuard {
    /// Seconds after its expiry from which an entry is overdue.
    static let tolerance = 30 * 86_400.0

    /// Seconds for which overdue entries are kept.
    static let delay = 86_400.0

    static let fileName = ".alcedo-clock"

    private let path: String

    init(folder: DiskFolder) {
        path = folder.path(of: Self.fileName)
    }

    /// Whether overdue entries are to be kept: most entries are overdue, and have been for less than a day.
    func keepsOverdue(_ overdue: Int, of all: Int, at now: Date) -> Bool {
        if overdue > 0, let first = attributes(ofPath: path), first.isRegularFile {
            let age = now.timeIntervalSince1970 - Double(first.st_mtim.tv_sec)
            if age >= 0 { return age < Self.delay }
        }
        unlink(path)
        guard overdue > 1, overdue > all / 2 else { return false }
        start(now)
        return true
    }

    private func start(_ now: Date) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        futimens(descriptor, [timespec(now), timespec(now)])
        close(descriptor)
    }
}

extension stat {
    /// Whether the entry expired so long ago that the clock may be wrong.
    ///
    /// A change of the file, or of its times, counts as well: the clock was right then.
    func isOverdue(at date: Date) -> Bool {
        max(Double(stamp.expiry), Double(st_ctim.tv_sec)) + ClockSkewGuard.tolerance
            <= date.timeIntervalSince1970
    }

    /// Whether a sweep removes the entry.
    func isExpired(at date: Date, sparingOverdue: Bool) -> Bool {
        stamp.isPast(at: date) && !(sparingOverdue && isOverdue(at: date))
    }
}
