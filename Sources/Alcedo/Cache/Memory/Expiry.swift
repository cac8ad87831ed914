import Foundation

/// When an entry in memory expires.
struct Expiry: Sendable {
    /// What the entry was stored with: a use starts this time again.
    let expiration: StorageExpiration

    /// When the entry was stored.
    let start: Date

    /// At the very moment it has expired.
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
    /// The date that it stands for when the time starts at `now`.
    func date(from now: Date) -> Date {
        switch self {
        case .never: .distantFuture
        case .seconds(let seconds): seconds.isNaN ? .distantPast : now + seconds
        case .days(let days): now + TimeInterval(days) * 86_400
        case .date(let date): date
        case .expired: .distantPast
        }
    }

    /// Whether it depends on the clock how soon that is: a time from now on, and not none.
    var isRelative: Bool {
        switch self {
        case .seconds(let seconds): seconds > 0
        case .days(let days): days > 0
        case .never, .date, .expired: false
        }
    }
}
