import CCrypto

/// One encryption or decryption with AES-256-GCM by libcrypto; every step returns whether it succeeded.
struct AESGCM: ~Copyable {
    enum Direction: Int32 { case decrypt, encrypt }

    static let nonceBytes = 12
    static let tagBytes = 16

    private let context: OpaquePointer

    /// Nil without memory or without the algorithm.
    init?(_ direction: Direction, key: EncryptionKey, nonce: UnsafeRawBufferPointer) {
        guard nonce.count == Self.nonceBytes, let context = EVP_CIPHER_CTX_new() else { return nil }
        let isReady = withExtendedLifetime(key) {
            EVP_CipherInit_ex2(
                context, OpaquePointer(bitPattern: algorithm), key.bytes,
                nonce.assumingMemoryBound(to: UInt8.self).baseAddress, direction.rawValue, nil)
        }
        guard isReady == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Adds data that the tag covers and that is not encrypted.
    func authenticate(_ header: UnsafeRawBufferPointer, and name: String) -> Bool {
        var name = name
        return update(nil, header) && name.withUTF8 { update(nil, UnsafeRawBufferPointer($0)) }
    }

    /// Encrypts or decrypts all data at once; before ``verify(tag:)`` the result is not to be used.
    func process(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        input.count == output.count && (input.isEmpty || update(output.baseAddress, input))
    }

    /// Ends an encryption and writes the tag.
    func finish(tag: UnsafeMutableRawBufferPointer) -> Bool {
        isFinished
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), tag.baseAddress) == 1
    }

    /// Ends a decryption; false if the key, the name or any byte is another one.
    func verify(tag: UnsafeRawBufferPointer) -> Bool {
        let expected = UnsafeMutableRawPointer(mutating: tag.baseAddress)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), expected) == 1
            && isFinished
    }

    /// GCM adds no bytes at the end.
    private var isFinished: Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { rest in
            var count: Int32 = 0
            return EVP_CipherFinal_ex(context, rest.baseAddress, &count) == 1 && count == 0
        }
    }

    private func update(_ output: UnsafeMutableRawPointer?, _ input: UnsafeRawBufferPointer) -> Bool {
        var count: Int32 = 0
        let input = input.assumingMemoryBound(to: UInt8.self)
        let output = output?.assumingMemoryBound(to: UInt8.self)
        // The count fits: ``EncryptedFile`` takes no more bytes than ``largestFile``.
        let updated = EVP_CipherUpdate(context, output, &count, input.baseAddress, Int32(input.count))
        return updated == 1 && count == input.count
    }

    /// Fills a buffer with random bytes of the system's generator.
    static func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        _ = alcedo_crypto_init()
        return RAND_bytes(buffer.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(buffer.count)) == 1
    }
}

/// Libcrypto's algorithm, fetched once.
private let algorithm: UInt = {
    // Without libcrypto's exit handler, because a cache may write while the program ends.
    _ = alcedo_crypto_init()
    return UInt(bitPattern: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) ?? EVP_aes_256_gcm())
}()
