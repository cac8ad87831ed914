import Foundation
import Glibc

/// When the entries of a folder were last read and what they take: 16 bytes each, for their names are not kept.
struct DiskAges {
    /// Up to when entries are too old.
    struct Cutoff {
        fileprivate let accessed: Int
        fileprivate let horizon: Int
        fileprivate var bytesAtCutoff: Int

        /// Whether an entry is to go.
        func isOld(_ attributes: stat) -> Bool {
            let time = attributes.st_atim.nanoseconds(before: horizon)
            return time < accessed || time == accessed && bytesAtCutoff > 0
        }

        /// Notes that an entry has gone: of those last read in the same instant, only so many have to.
        mutating func count(_ attributes: stat) {
            if attributes.st_atim.nanoseconds(before: horizon) == accessed {
                bytesAtCutoff -= attributes.st_size
            }
        }
    }

    private var entries: [(accessed: Int, size: Int)] = []
    private let horizon: Int

    /// The sum of all sizes, in bytes.
    private(set) var totalSize = 0

    /// No entries yet; what was read more than a day after `now`, by a clock that was wrong, counts as oldest.
    init(now: Date) {
        horizon = timespec(now + 86_400).nanoseconds(before: .max)
    }

    mutating func append(_ attributes: stat) {
        entries.append((attributes.st_atim.nanoseconds(before: horizon), attributes.st_size))
        totalSize += attributes.st_size
    }

    /// Where to cut so that no more than `limit` bytes stay; nil if that many do anyway.
    ///
    /// If the newest entry takes more than that by itself, but less than `largest`, it is all that stays.
    mutating func cutoff(downTo limit: Int, keepingNewestBelow largest: Int) -> Cutoff? {
        guard totalSize > limit else { return nil }
        entries.sort { $0.accessed < $1.accessed }
        let newest = entries.last?.size ?? 0
        var excess = totalSize - (newest < largest ? max(limit, newest) : limit)
        guard excess > 0 else { return nil }
        var start = 0
        while start < entries.count {
            let accessed = entries[start].accessed
            var (end, bytes) = (start, 0)
            while end < entries.count, entries[end].accessed == accessed {
                bytes += entries[end].size
                end += 1
            }
            if bytes >= excess {
                return Cutoff(accessed: accessed, horizon: horizon, bytesAtCutoff: excess)
            }
            excess -= bytes
            start = end
        }
        return nil
    }
}

extension timespec {
    /// Nanoseconds since 1970; the least number for a time from `horizon` on or beyond what fits.
    fileprivate func nanoseconds(before horizon: Int) -> Int {
        let (seconds, overflow) = tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
        let (time, carry) = seconds.addingReportingOverflow(tv_nsec)
        return overflow || carry || time >= horizon ? .min : time
    }
}
