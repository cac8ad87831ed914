public import Foundation

/// Encrypts the files of a disk cache with AES-256-GCM.
///
/// A file is the text `ALC`, the version 1, 8 bytes that identify the key, a random nonce of 12 bytes, the encrypted data and
/// a tag of 16 bytes: 40 bytes more than the data. The tag covers all of it and the file's name, so a file that was changed,
/// truncated, or renamed to another entry's name is ``DiskTransformError/damaged``. It does not detect that an older file of
/// the same entry was put back.
///
/// One key is safe for 2³² stores. Libcrypto, which uses the processor's instructions for AES, does the work.
public struct AESGCMTransform: DiskTransform {
    /// How many bytes a file is longer than its data.
    public static let overhead = EncryptedFile.headerBytes + EncryptedFile.tagBytes

    private let keys: [UInt64: EncryptionKey]
    private let current: EncryptionKey

    /// Encrypts with one key, and decrypts with any of several.
    ///
    /// To rotate keys, add a new one, make it the current one, and drop the old one when its entries have expired. The
    /// transform's copies of the keys are overwritten when it is released; the `Data` that it is given are not.
    ///
    /// - Parameters:
    ///   - keys: the keys by identifier, 32 random bytes each. A file refers to a key by a hash of its identifier and
    ///     bytes, so files of a key whose bytes were changed by mistake count as those of a missing key.
    ///   - current: the identifier of the key to encrypt with.
    /// - Throws: ``DiskEncryptionError`` for a key of another length, or if there is no current one.
    public init(keys: [String: Data], current: String) throws(DiskEncryptionError) {
        var table: [UInt64: EncryptionKey] = [:]
        var currentKey: EncryptionKey?
        for (identifier, bytes) in keys {
            let key = try EncryptionKey(bytes, identifier: identifier)
            table[key.tag] = key
            if identifier == current { currentKey = key }
        }
        guard let currentKey else { throw .missingKey(identifier: current) }
        (self.keys, self.current) = (table, currentKey)
    }

    /// Encrypts data.
    ///
    /// - Throws: ``DiskEncryptionError/unsupported``; a `POSIXError` for data of 2 GiB.
    public func seal(_ data: Data, fileName: String) throws -> Data {
        try EncryptedFile.seal(data, fileName: fileName, key: current)
    }

    /// Decrypts the bytes of a file, and verifies that this transform wrote them for this name.
    public func open(_ bytes: Data, fileName: String) throws(DiskTransformError) -> Data {
        try EncryptedFile.open(bytes, fileName: fileName) { keys[$0] }
    }
}

/// A mistake in the keys of an ``AESGCMTransform``, or a libcrypto that can't encrypt.
public enum DiskEncryptionError: Error, Equatable {
    /// A key has so many bytes instead of 32.
    case keyLength(identifier: String, bytes: Int)

    /// No key has the identifier of the current one.
    case missingKey(identifier: String)

    /// Libcrypto has no AES-256-GCM or no random numbers.
    case unsupported
}

extension DiskEncryptionError: LocalizedError, CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .keyLength(let identifier, let bytes):
            "the encryption key “\(identifier)” has \(bytes) bytes; use 32 random bytes"
        case .missingKey(let identifier):
            "there is no encryption key “\(identifier)” to encrypt with; add it to `keys`"
        case .unsupported:
            "libcrypto could not encrypt with AES-256-GCM; check its configuration and memory"
        }
    }

    public var errorDescription: String? { description }
}
