import CCrypto
import Foundation

/// A key of 256 bits, which is overwritten when it is released.
final class EncryptionKey: Sendable {
    static let byteCount = 32

    /// Identifies the key in files: the first bytes of the SHA-256 of its identifier and bytes.
    let tag: UInt64

    /// A pointer as a number, as pointers are not Sendable.
    private let address: UInt

    init(_ bytes: Data, identifier: String) throws(DiskEncryptionError) {
        guard bytes.count == Self.byteCount else {
            throw .keyLength(identifier: identifier, bytes: bytes.count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        var labelled = Data("org.alcedo.key\0\(identifier)\0".utf8)
        labelled.append(bytes)
        defer { labelled.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let isHashed = labelled.withUnsafeBytes { input in
            EVP_Digest(input.baseAddress, input.count, &digest, nil, OpaquePointer(bitPattern: sha256), nil)
        }
        guard isHashed == 1, let copy = malloc(Self.byteCount) else { throw .unsupported }
        bytes.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: Self.byteCount)
        tag = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        address = UInt(bitPattern: copy)
    }

    deinit {
        let copy = UnsafeMutableRawPointer(bitPattern: address)
        OPENSSL_cleanse(copy, Self.byteCount)
        free(copy)
    }

    /// The bytes, which live as long as the key.
    var bytes: UnsafePointer<UInt8>? { UnsafePointer(bitPattern: address) }
}
