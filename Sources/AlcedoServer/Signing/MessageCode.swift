import CCrypto

/// SHA-256, and HMAC with it; `nil` if libcrypto fails.
enum MessageCode {
    static func hash(of message: [UInt8]) -> [UInt8]? {
        _ = isCryptoReady
        var hash = [UInt8](repeating: 0, count: 32)
        var length = 0
        let result = EVP_Q_digest(nil, "SHA256", nil, message, message.count, &hash, &length)
        return result == 1 && length == hash.count ? hash : nil
    }

    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
        _ = isCryptoReady
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, &code, code.count,
            &length)
        return result != nil && length == code.count ? code : nil
    }

    /// Without libcrypto's exit handler, because a request may be checked while the program ends.
    private static let isCryptoReady = alcedo_crypto_init()
}
