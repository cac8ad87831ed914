import CXXHash
import CXattr
import Foundation
import Glibc

/// The 64-bit XXH3 of an entry's bytes and file name, in the extended attribute `user.alcedo.xxh3`.
///
/// Including the name detects files that were renamed.
package struct EntryChecksum: Equatable {
    private static let attribute = "user.alcedo.xxh3"

    private let value: UInt64

    init(of data: Data, name: String) {
        var name = name
        let seed = name.withUTF8 { XXH3_64bits($0.baseAddress, $0.count) }
        value = data.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }

    /// The result of a check.
    package enum Verdict {
        case intact
        case damaged
        /// No checksum on a file system that has them: another program wrote the file.
        case foreign
        /// The file system has no extended attributes.
        case unknown
    }

    static func verdict(on data: Data, in descriptor: Int32, name: String) -> Verdict {
        var value: UInt64 = 0
        guard fgetxattr(descriptor, attribute, &value, 8) == 8 else {
            return errno == ENODATA || errno == ERANGE ? .foreign : .unknown
        }
        return EntryChecksum(of: data, name: name).value == UInt64(littleEndian: value) ? .intact : .damaged
    }

    /// Writes the checksum; ignores a file system without extended attributes.
    func write(to descriptor: Int32) throws(POSIXError) {
        var value = value.littleEndian
        guard fsetxattr(descriptor, Self.attribute, &value, 8, 0) != 0 else { return }
        let error = lastPOSIXError()
        // Some containers deny the system call.
        guard [.EOPNOTSUPP, .EPERM, .ENOSYS].contains(error.code) else { throw error }
    }
}
