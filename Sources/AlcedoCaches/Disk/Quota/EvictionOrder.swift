import Foundation
import Glibc

/// The times of last access and the sizes of a folder's entries: 16 bytes an entry, without names.
struct EvictionOrder {
    /// Ranks entries by their time of last access; the lowest rank is evicted first.
    struct Ranking {
        private let now: Int
        private let day = 86_400_000_000_000

        init(_ now: Date) { self.now = timespec(now).nanoseconds }

        /// The rank of an entry.
        ///
        /// Entries read in the last second rank above entries that were only stored, so that a burst of stores can't evict
        /// what is read all the time. An access over a day in the future, by a wrong clock, ranks below all others.
        func rank(_ attributes: stat) -> Int {
            let time = attributes.st_atim
            let (age, overflow) = now.subtractingReportingOverflow(time.nanoseconds)
            if overflow { return .min }
            // A quarter: even the furthest future then ranks below an access in 1970.
            if age < -day { return .min - age / 4 }
            return time.isRead && age < 1_000_000_000 ? day - age : -age
        }
    }

    /// The highest rank that is evicted.
    struct Cutoff {
        fileprivate let rank: Int
        fileprivate let ranking: Ranking

        /// Bytes to evict of the entries that have exactly this rank.
        fileprivate var bytesAtRank: Int

        /// Whether an entry may be evicted.
        func isReached(_ attributes: stat) -> Bool { ranking.rank(attributes) <= rank }

        /// Whether an entry is to be evicted; counts its bytes.
        mutating func take(_ attributes: stat) -> Bool {
            let other = ranking.rank(attributes)
            guard other == rank else { return other < rank }
            guard bytesAtRank > 0 else { return false }
            bytesAtRank -= attributes.st_size
            return true
        }
    }

    private var entries: [(rank: Int, size: Int)] = []
    private let ranking: Ranking

    /// The sum of all sizes, in bytes.
    private(set) var totalSize = 0

    init(now: Date) { ranking = Ranking(now) }

    mutating func append(_ attributes: stat) {
        entries.append((ranking.rank(attributes), attributes.st_size))
        totalSize += attributes.st_size
    }

    /// The cutoff that leaves at most `limit` bytes; nil if nothing has to be evicted.
    ///
    /// Keeps the newest entry if it is larger than `limit` but smaller than `largest`.
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
                return Cutoff(rank: rank, ranking: ranking, bytesAtRank: excess)
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
