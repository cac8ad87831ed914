public import Foundation

/// Changes the bytes of every file of a disk cache, for example encrypts them.
///
/// Set as ``DiskStorage/Config/transform``. The cache calls both methods on its disk threads, several at a time.
public protocol DiskTransform: Sendable {
    /// The bytes to write to the file `fileName`; if it throws, the store fails with `cannotConvertToData`.
    func seal(_ data: Data, fileName: String) throws -> Data

    /// The data that was sealed into the bytes of the file `fileName`; if it throws, the lookup is a miss.
    func open(_ bytes: Data, fileName: String) throws(DiskTransformError) -> Data
}

/// Why a ``DiskTransform`` can't restore the data of a file.
public enum DiskTransformError: Error, Equatable {
    /// The transform did not write the bytes, or they have changed since: the entry is removed.
    case damaged

    /// A key is missing, or a newer version wrote the bytes: the entry stays.
    case unavailable
}

extension DiskTransformError: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .damaged: "the file is damaged, or was not written by this transform"
        case .unavailable: "the file needs a key that the transform does not have"
        }
    }

    public var errorDescription: String? { description }
}
