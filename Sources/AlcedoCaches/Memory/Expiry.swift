import Foundation

/// When an entry in memory expires.
struct Expiry: Sendable {
    /// The lifetime that the entry was stored with; a lookup starts it again.
    let expiration: StorageExpiration

    /// When the entry was stored.
    let start: Date

    /// The first moment at which it has expired.
    let date: Date

    /// Does not expire.
    static let never = Expiry(.never, from: .distantPast)

    init(_ expiration: StorageExpiration, from now: Date) {
        self.expiration = expiration
        start = now
        date = expiration.date(from: now)
    }
}

extension StorageExpiration {
    /// The expiry of a lifetime that starts at `now`.
    func date(from now: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .seconds(let seconds): seconds.isNaN ? .distantPast : now + seconds
        case .days(let days): now + TimeInterval(days) * 86_400
        case .date(let date): date
        case .expired: .distantPast
        }
    }

    /// Whether it is a positive time from now on, so that the expiry depends on the clock.
    var isRelative: Bool {
        switch self {
        case .seconds(let seconds): seconds > 0
        case .days(let days): days > 0
        case .never, .date, .expired: false
        }
    }
}
