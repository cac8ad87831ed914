import CCrypto
import Foundation

/// The format of ``AESGCMTransform``: magic and version, key tag, nonce, encrypted data, authentication tag.
///
/// The authenticated data are the magic, the version, the key tag and the file's name.
enum EncryptedFile {
    private static let magic = Array("ALC".utf8)
    private static let version: UInt8 = 1
    private static let nonceOffset = 12
    static let headerBytes = nonceOffset + AESGCM.nonceBytes
    static let tagBytes = AESGCM.tagBytes

    static func seal(_ data: Data, fileName: String, key: EncryptionKey) throws -> Data {
        guard data.count <= largestFile - headerBytes - tagBytes else { throw POSIXError(.EFBIG) }
        var file = Data(count: headerBytes + data.count + tagBytes)
        let isSealed = file.withUnsafeMutableBytes { file in
            file.copyBytes(from: magic + [version])
            file.storeBytes(of: key.tag.bigEndian, toByteOffset: magic.count + 1, as: UInt64.self)
            let nonce = UnsafeMutableRawBufferPointer(rebasing: file[nonceOffset..<headerBytes])
            let content = UnsafeMutableRawBufferPointer(rebasing: file[headerBytes...].dropLast(tagBytes))
            let tag = UnsafeMutableRawBufferPointer(rebasing: file[(headerBytes + data.count)...])
            guard AESGCM.fillRandomly(nonce), let cipher = AESGCM(.encrypt, key: key, nonce: .init(nonce))
            else { return false }
            return cipher.authenticate(.init(rebasing: file[..<nonceOffset]), and: fileName)
                && data.withUnsafeBytes { cipher.process($0, into: content) } && cipher.finish(tag: tag)
        }
        guard isSealed else { throw DiskEncryptionError.unsupported }
        return file
    }

    static func open(
        _ file: Data, fileName: String, key: (UInt64) -> EncryptionKey?
    ) throws(DiskTransformError) -> Data {
        let count = file.count - headerBytes - tagBytes
        guard count >= 0, file.count <= largestFile, file.starts(with: magic) else { throw .damaged }
        var data = Data(count: count)
        let result = file.withUnsafeBytes { file -> Result<Void, DiskTransformError> in
            let tag = file.loadUnaligned(fromByteOffset: magic.count + 1, as: UInt64.self)
            guard file[magic.count] == version, let key = key(UInt64(bigEndian: tag)) else {
                return .failure(.unavailable)
            }
            let nonce = UnsafeRawBufferPointer(rebasing: file[nonceOffset..<headerBytes])
            let content = UnsafeRawBufferPointer(rebasing: file[headerBytes...].dropLast(tagBytes))
            guard let cipher = AESGCM(.decrypt, key: key, nonce: nonce) else { return .failure(.unavailable) }
            let isIntact =
                cipher.authenticate(.init(rebasing: file[..<nonceOffset]), and: fileName)
                && data.withUnsafeMutableBytes { cipher.process(content, into: $0) }
                && cipher.verify(tag: .init(rebasing: file[(headerBytes + count)...]))
            return isIntact ? .success(()) : .failure(.damaged)
        }
        try result.get()
        return data
    }
}
