import Foundation
import Glibc

/// When a file of the disk cache expires and how long it lives: both are its modification time.
///
/// The seconds are the expiry, the nanoseconds are the lifetime in seconds. See the decision record on disk entries.
struct DiskStamp: Equatable {
    /// Seconds since 1970, rounded up.
    var expiry: Int

    /// Seconds that a read gives the file anew, from 1 to 999,999,999; 0 where that is not known.
    var lifetime: Int

    /// The latest time that ext4 holds, in the year 2446, and no lifetime.
    static let never = DiskStamp(expiry: 15_032_385_535, lifetime: 0)

    static let expired = DiskStamp(expiry: 0, lifetime: 0)

    /// What is written for an entry stored at `now`; nil if it would be expired by then.
    init?(_ expiration: StorageExpiration, from now: Date) {
        let date = expiration.date(from: now)
        guard date > now else { return nil }
        let (seconds, lifetime) = (date.timeIntervalSince1970, date.timeIntervalSince(now))
        guard seconds < Double(Self.never.expiry), date != .distantFuture else {
            self = .never
            return
        }
        expiry = Int(seconds.rounded(.up))
        self.lifetime = Int(min(lifetime.rounded(.up), 999_999_999))
    }

    init(_ time: timespec) {
        self.init(expiry: time.tv_sec, lifetime: time.tv_nsec)
    }

    init(expiry: Int, lifetime: Int) {
        self.expiry = expiry
        self.lifetime = lifetime
    }

    var time: timespec { timespec(tv_sec: expiry, tv_nsec: lifetime) }

    /// Whether it has expired; at the very second it has.
    func isPast(at date: Date) -> Bool { Double(expiry) <= date.timeIntervalSince1970 }

    /// What a read at `now` makes of it; never less by a clock that has been set back.
    ///
    /// - Parameters:
    ///   - extending: what the read does to the expiry.
    ///   - now: the time.
    ///   - accessed: when the file was last read or stored, in seconds since 1970.
    ///   - fallback: the lifetime of a file that has none.
    /// - Returns: what the file is to have.
    func extended(
        _ extending: ExpirationExtending,
        from now: Date,
        accessed: Int,
        fallback: StorageExpiration
    ) -> DiskStamp {
        switch extending {
        case .none: return self
        case .cacheTime where isFarOff: return self
        case .cacheTime:
            let new = DiskStamp(lifetime > 0 ? .seconds(Double(lifetime)) : fallback, from: now)
            return new.map { $0.expiry > expiry ? $0 : self } ?? self
        case .expirationTime(let expiration):
            let new = DiskStamp(expiration, from: now) ?? .expired
            let isDoubtful = expiration.isRelative && isBehind(now, accessed: accessed)
            return isDoubtful && new.expiry < expiry ? self : new
        }
    }

    /// Whether `now` is before what the file says of the time at which it was last stored, read or extended.
    private func isBehind(_ now: Date, accessed: Int) -> Bool {
        let stamped = lifetime > 0 ? expiry - lifetime : .min
        // Both of its parts were rounded.
        return Double(max(stamped, accessed)) > now.timeIntervalSince1970 + 2
    }

    /// Whether it stands for never, on a file system that ends in 2038 too.
    private var isFarOff: Bool { lifetime == 0 && expiry >= Int(Int32.max) }
}
