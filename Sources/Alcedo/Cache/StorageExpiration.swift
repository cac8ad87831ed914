public import Foundation

/// When an entry of a cache expires.
public enum StorageExpiration: Sendable {
    /// Never.
    case never
    /// So many seconds after it was stored or last extended.
    case seconds(TimeInterval)
    /// So many days, of 86,400 seconds, after it was stored or last extended.
    case days(Int)
    /// At a date.
    case date(Date)
    /// It has expired already: storing it does nothing.
    case expired
}

/// What reading an entry does to its expiry.
public enum ExpirationExtending: Sendable {
    /// Nothing.
    case none
    /// Its time starts again.
    case cacheTime
    /// It now expires like this.
    case expirationTime(_ expiration: StorageExpiration)
}
