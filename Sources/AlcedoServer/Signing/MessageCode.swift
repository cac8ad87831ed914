import CCrypto

/// SHA-256, and HMAC with it; `nil` if libcrypto fails.
enum MessageCode {
    static func hash(of message: [UInt8]) -> [UInt8]? {
        prepare()
        var hash = [UInt8](repeating: 0, count: 32)
        var length = 0
        let result = EVP_Q_digest(nil, "SHA256", nil, message, message.count, &hash, &length)
        return result == 1 && length == hash.count ? hash : nil
    }

    /// The hash in lower-case hexadecimal digits.
    static func hashText(of message: [UInt8]) -> String? { hash(of: message).map(text) }

    static func text(of bytes: [UInt8]) -> String {
        bytes.flatMap { [UInt8.hexDigit($0 >> 4), .hexDigit($0 & 15)] }.text.lowercased()
    }

    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
        prepare()
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, &code, code.count,
            &length)
        return result != nil && length == code.count ? code : nil
    }

    /// Compares in a time that depends on the length only.
    static func isEqual(_ code: ArraySlice<UInt8>, _ expected: [UInt8]) -> Bool {
        guard code.count == expected.count else { return false }
        return code.withUnsafeBytes { one in
            expected.withUnsafeBytes { CRYPTO_memcmp(one.baseAddress, $0.baseAddress, $0.count) == 0 }
        }
    }

    /// To be called before any function of libcrypto.
    static func prepare() { _ = isCryptoReady }

    /// Without libcrypto's exit handler, because a request may be checked while the program ends.
    private static let isCryptoReady = alcedo_crypto_init()
}
