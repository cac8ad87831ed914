package import Foundation
import Glibc

/// The expiry and the lifetime of an entry, stored as its file's modification time.
///
/// The seconds are the expiry; the nanoseconds are the lifetime in seconds. See `docs/decisions/0008-disk-entries.md`.
package struct DiskStamp: Equatable {
    /// Seconds since 1970, rounded up.
    var expiry: Int

    /// The lifetime that a read restarts: 1 to 999,999,999 s; 0 if unknown.
    var lifetime: Int

    /// The latest time that ext4 can store, in the year 2446.
    static let never = DiskStamp(expiry: 15_032_385_535, lifetime: 0)

    static let expired = DiskStamp(expiry: 0, lifetime: 0)

    /// The stamp of an entry stored at `now`; nil if it is expired.
    package init?(_ expiration: StorageExpiration, from now: Date) {
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

    /// Whether it has expired; at the second of its expiry it has.
    func isPast(at date: Date) -> Bool { Double(expiry) <= date.timeIntervalSince1970 }

    /// The stamp after a read at `now`; a clock that was set back shortens no lifetime.
    ///
    /// `accessed` is the last access in seconds since 1970; `fallback` replaces an unknown lifetime.
    func extended(
        _ extending: ExpirationExtending, from now: Date, accessed: Int, fallback: StorageExpiration
    ) -> DiskStamp {
        switch extending {
        case .none: return self
        case .cacheTime where isFarOff: return self
        case .cacheTime:
            let new = DiskStamp(lifetime > 0 ? .seconds(Double(lifetime)) : fallback, from: now)
            return new.map { $0.expiry > expiry ? $0 : self } ?? self
        case .expirationTime(let expiration):
            let new = DiskStamp(expiration, from: now) ?? .expired
            let isClockBehind = expiration.isRelative && isAhead(of: now, accessed: accessed)
            return isClockBehind && new.expiry < expiry ? self : new
        }
    }

    /// Whether the file was stored, read or extended after `now`.
    private func isAhead(of now: Date, accessed: Int) -> Bool {
        let stamped = lifetime > 0 ? expiry - lifetime : .min
        // Both parts were rounded up.
        return Double(max(stamped, accessed)) > now.timeIntervalSince1970 + 2
    }

    /// Whether it means never, also on a file system whose times end in 2038.
    private var isFarOff: Bool { lifetime == 0 && expiry >= Int(Int32.max) }
}
