public import Foundation

/// A store that a disk cache dropped: it was over its size limit, and the trim had not made room yet.
///
/// Stores never wait for a trim. A later store of the same value succeeds.
public struct DiskQuotaError: Error, Equatable {
    /// Bytes of the value.
    public let size: Int

    /// The size limit in bytes.
    public let limit: Int
}

extension DiskQuotaError: LocalizedError, CustomStringConvertible {
    /// What was dropped, why, and what to do.
    public var description: String {
        "\(size) bytes exceed the size limit of \(limit) bytes until a trim has made room; raise `sizeLimit`"
    }

    /// ``description``.
    public var errorDescription: String? { description }
}
