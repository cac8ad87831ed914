import CCrypto

/// SHA-256 (FIPS 180-4) of a text's UTF-8, in lower-case hexadecimal.
package func sha256Hex(_ text: String) -> String {
    var text = text
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
        text.withUTF8 { bytes in
            let algorithm = OpaquePointer(bitPattern: sha256)
            _ = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, algorithm, nil)
        }
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 64) { hex in
            for index in 0..<32 {
                hex[2 * index] = digits.utf8Start[Int(digest[index] >> 4)]
                hex[2 * index + 1] = digits.utf8Start[Int(digest[index] & 15)]
            }
            return 64
        }
    }
}

/// Libcrypto's SHA-256, fetched once: a fetch takes longer than hashing a name.
package let sha256: UInt = {
    // Without libcrypto's exit handler, because a cache may write while the program ends.
    _ = alcedo_crypto_init()
    return UInt(bitPattern: EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256())
}()
