public import Foundation

/// The expiry of a cache entry.
public enum StorageExpiration: Sendable {
    case never
    /// Seconds after it was stored or last extended.
    case seconds(TimeInterval)
    /// Days of 86,400 seconds after it was stored or last extended.
    case days(Int)
    case date(Date)
    /// At once: storing it does nothing.
    case expired
}

/// The effect of a read on an entry's expiry.
public enum ExpirationExtending: Sendable {
    case none
    /// Restarts the lifetime that it was stored with.
    case cacheTime
    /// Replaces it.
    case expirationTime(_ expiration: StorageExpiration)
}
