import Foundation
import Glibc

/// When the entries of a folder were last read and what they take: 16 bytes each, for their names are not kept.
struct DiskAges {
    /// How a time counts at a moment: what was read in the last second comes after whatever was merely stored.
    ///
    /// Otherwise a burst of stores that fills half the cache within a blink would sweep away what is read all the time.
    struct Clock {
        private let now: Int
        private let day = 86_400_000_000_000

        init(_ now: Date) { self.now = timespec(now).nanoseconds }

        /// The rank of an entry.
        ///
        /// What was read more than a day from now, by a clock that was wrong or before this one was set back, counts as older
        /// than everything else, and keeps its order.
        func rank(_ attributes: stat) -> Int {
            let time = attributes.st_atim
            let (age, overflow) = now.subtractingReportingOverflow(time.nanoseconds)
            if overflow { return .min }
            if age < -day { return .min - age / 4 }
            return time.isRead && age < 1_000_000_000 ? day - age : -age
        }
    }

    /// Up to when entries are too old.
    struct Cutoff {
        fileprivate let rank: Int
        fileprivate let clock: Clock
        fileprivate var bytesAtCutoff: Int

        /// Whether an entry is to go.
        func isOld(_ attributes: stat) -> Bool {
            let other = clock.rank(attributes)
            return other < rank || other == rank && bytesAtCutoff > 0
        }

        /// Whether an entry may have to go: it is not younger.
        func isReached(_ attributes: stat) -> Bool { clock.rank(attributes) <= rank }

        /// Notes that an entry is to go: of those last read in the same instant, only so many have to.
        mutating func count(_ attributes: stat) {
            if clock.rank(attributes) == rank { bytesAtCutoff -= attributes.st_size }
        }
    }

    private var entries: [(rank: Int, size: Int)] = []
    private let clock: Clock

    /// The sum of all sizes, in bytes.
    private(set) var totalSize = 0

    init(now: Date) { clock = Clock(now) }

    mutating func append(_ attributes: stat) {
        entries.append((clock.rank(attributes), attributes.st_size))
        totalSize += attributes.st_size
    }

    /// Where to cut so that no more than `limit` bytes stay; nil if that many do anyway.
    ///
    /// If the newest entry takes more than that by itself, but less than `largest`, it is all that stays.
    mutating func cutoff(downTo limit: Int, keepingNewestBelow largest: Int) -> Cutoff? {
        guard totalSize > limit else { return nil }
        entries.sort { $0.rank < $1.rank }
        let newest = entries.last?.size ?? 0
        var excess = totalSize - (newest < largest ? max(limit, newest) : limit)
        guard excess > 0 else { return nil }
        var start = 0
        while start < entries.count {
            let rank = entries[start].rank
            var (end, bytes) = (start, 0)
            while end < entries.count, entries[end].rank == rank {
                bytes += entries[end].size
                end += 1
            }
            if bytes >= excess {
                return Cutoff(rank: rank, clock: clock, bytesAtCutoff: excess)
            }
            excess -= bytes
            start = end
        }
        return nil
    }
}

extension timespec {
    /// Nanoseconds since 1970; the least or the greatest number for what does not fit.
    fileprivate var nanoseconds: Int {
        let (seconds, overflow) = tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
        let (time, carry) = seconds.addingReportingOverflow(tv_nsec)
        return overflow || carry ? (tv_sec < 0 ? .min : .max) : time
    }
}
