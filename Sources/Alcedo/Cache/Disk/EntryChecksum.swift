import CXXHash
import CXattr
import Foundation
import Glibc

/// What the bytes of an entry and the name of its file add up to: XXH3 with 64 bits, in the file's extended attribute
/// `user.alcedo.xxh3`.
///
/// The name is in it so that a file that has taken another's place is found out as well.
struct EntryChecksum: Equatable {
    private static let attribute = "user.alcedo.xxh3"

    private let value: UInt64

    init(of data: Data, name: String) {
        var name = name
        let seed = name.withUTF8 { XXH3_64bits($0.baseAddress, $0.count) }
        value = data.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }

    /// What a checksum says of a file.
    enum Verdict {
        /// The bytes are those that were written under this name.
        case intact
        /// They are not.
        case damaged
        /// Nothing: the file has no checksum, though its file system has extended attributes. Another program wrote it.
        case foreign
        /// Nothing: the file system has no extended attributes.
        case unknown
    }

    /// Checks the bytes of an open file.
    static func verdict(on data: Data, in descriptor: Int32, name: String) -> Verdict {
        var value: UInt64 = 0
        guard fgetxattr(descriptor, attribute, &value, 8) == 8 else {
            return errno == ENODATA || errno == ERANGE ? .foreign : .unknown
        }
        return EntryChecksum(of: data, name: name).value == UInt64(littleEndian: value) ? .intact : .damaged
    }

    /// Gives an open file the checksum; a file system without extended attributes is no error.
    func write(to descriptor: Int32) throws(POSIXError) {
        var value = value.littleEndian
        guard fsetxattr(descriptor, Self.attribute, &value, 8, 0) != 0 else { return }
        let error = lastPOSIXError()
        // Some containers forbid the call altogether.
        guard [.EOPNOTSUPP, .EPERM, .ENOSYS].contains(error.code) else { throw error }
    }
}
