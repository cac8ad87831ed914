import Foundation
import Glibc

/// Access times: the nanoseconds are odd after a read and even after a store, so that a trim distinguishes them; see
/// ``EvictionOrder/Ranking``.
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

    /// Whether both differ by less than 10 ms, so that a burst of reads writes one access time.
    func isAbout(_ other: timespec) -> Bool {
        isRead == other.isRead && tv_sec == other.tv_sec && abs(tv_nsec - other.tv_nsec) < 10_000_000
    }
}
