public import Foundation

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
