import Foundation
import Glibc

/// Times of last access: the last nanosecond is odd where an entry was read, and even where it was only stored.
extension timespec {
    init(stored date: Date) {
        self.init(date)
        tv_nsec &= ~1
    }

    init(read date: Date) {
        self.init(date)
        tv_nsec |= 1
    }

    var isRead: Bool { tv_nsec & 1 == 1 }

    /// Whether it says almost the same: what is read without a pause need not be noted each time.
    func isAbout(_ other: timespec) -> Bool {
        isRead == other.isRead && tv_sec == other.tv_sec && abs(tv_nsec - other.tv_nsec) < 10_000_000
    }
}
