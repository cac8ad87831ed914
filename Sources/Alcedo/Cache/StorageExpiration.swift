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

/// Something with a size in memory.
public protocol CacheCostCalculable {
    /// Bytes, or any unit that a limit is given in.
    var cacheCost: Int { get }
}

/// Something that can be a file's content.
public protocol DataTransformable {
    /// The file's content.
    func toData() throws -> Data

    /// The value that a file's content stands for.
    static func fromData(_ data: Data) throws -> Self

    /// A value that stands for nothing.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    /// The data itself.
    public func toData() throws -> Data { self }

    /// The data itself.
    public static func fromData(_ data: Data) throws -> Data { data }

    /// No bytes.
    public static let empty = Data()
}
