import Foundation
import Glibc

/// What to do about entries that have been expired for so long that the clock may be what is wrong.
///
/// A cache in use removes an entry within minutes of its expiry. Where most of them have been expired for over a month,
/// the cache has not been used for so long, or the clock is years ahead. The file `.alcedo-clock` has the time at which
/// that was first seen as its modification time; once the clock has gone on like that for a day, it is believed.
struct DiskClockDoubt {
    /// Seconds after its expiry from which an entry is overdue.
    static let tolerance = 30 * 86_400.0

    /// Seconds for which a clock that makes entries overdue is doubted.
    static let patience = 86_400.0

    static let fileName = ".alcedo-clock"

    private let path: String

    init(folder: DiskFolder) {
        path = folder.path(of: Self.fileName)
    }

    /// Whether entries that are overdue are not to be removed yet: once most are, until a day has gone by.
    func holds(overdue: Int, of all: Int, at now: Date) -> Bool {
        if overdue > 0, let first = attributes(ofPath: path), first.isRegularFile {
            let age = now.timeIntervalSince1970 - Double(first.st_mtim.tv_sec)
            if age >= 0 { return age < Self.patience }
        }
        unlink(path)
        return overdue > 1 && overdue > all / 2 && note(now)
    }

    /// Writes down when the doubt arose; where nothing can be written, nothing is removed either.
    private func note(_ now: Date) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return true }
        futimens(descriptor, [timespec(now), timespec(now)])
        close(descriptor)
        return true
    }
}

extension stat {
    /// Whether an entry has expired so long ago that the clock is to be doubted.
    ///
    /// One that something has changed since, be it only its times, was there by the clock as it is now.
    func isOverdue(at date: Date) -> Bool {
        max(Double(stamp.expiry), Double(st_ctim.tv_sec)) + DiskClockDoubt.tolerance
            <= date.timeIntervalSince1970
    }
}
