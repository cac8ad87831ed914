public import Foundation

/// A store that a disk cache dropped: it was over its size limit, and a trim made no room.
///
/// Other processes write as much as the limit allows, or the folder can't be listed.
public struct DiskQuotaError: Error, Equatable {
    /// Bytes of the value.
    public let size: Int

    /// The size limit in bytes.
    public let limit: Int
}

extension DiskQuotaError: LocalizedError, CustomStringConvertible {
    /// What was dropped, why, and what to do.
    public var description: String {
        "\(size) bytes exceed the size limit of \(limit) bytes, and a trim made no room; raise `sizeLimit`"
    }

    public var errorDescription: String? { description }
}
