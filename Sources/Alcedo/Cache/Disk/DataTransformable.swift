public import Foundation

/// A value that a disk cache can store.
public protocol DataTransformable {
    /// The bytes to store.
    func toData() throws -> Data

    /// The value of stored bytes.
    static func fromData(_ data: Data) throws -> Self

    /// An empty value.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    public func toData() throws -> Data { self }

    public static func fromData(_ data: Data) throws -> Data { data }

    public static let empty = Data()
}
