import CCrypto

/// MD5 (RFC 1321) of a text's UTF-8, in lower-case hexadecimal, for names that other programs calculate as well.
///
/// Nil if libcrypto does not offer it, as on systems in FIPS mode.
package func md5Hex(_ text: String) -> String? {
    _ = alcedo_crypto_init()
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 16)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else { return nil }
    return digest.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
}
