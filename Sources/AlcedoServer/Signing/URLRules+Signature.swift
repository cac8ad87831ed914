import CCrypto

extension URLRules {
    /// Checks the signature of a path, which starts with `/`.
    ///
    /// Takes as long for every wrong signature of one length.
    func check(_ signature: ArraySlice<UInt8>, of path: [UInt8]) throws(URLFailure) {
        guard !keys.isEmpty else {
            guard !signature.contains(.colon),
                signature.firstIndex(of: Array(argumentsSeparator.utf8)) == nil
            else {
                throw URLFailure(.forbidden, "the signature is missing: the path starts with an option")
            }
            return
        }
        var isValid = false
        for trusted in trustedSignatures where Self.isEqual(signature, Array(trusted.utf8)) {
            isValid = true
        }
        let size = min(max(signatureSize, 1), 32)
        for key in keys {
            guard let expected = key.signature(of: path, size: size) else {
                throw URLFailure(.forbidden, "the signature could not be checked: libcrypto failed")
            }
            if Self.isEqual(signature, expected) { isValid = true }
        }
        guard isValid else { throw URLFailure(.forbidden, "the signature is wrong") }
    }

    /// Compares in a time that depends on the length only.
    private static func isEqual(_ signature: ArraySlice<UInt8>, _ expected: [UInt8]) -> Bool {
        guard signature.count == expected.count else { return false }
        return signature.withUnsafeBytes { one in
            expected.withUnsafeBytes { CRYPTO_memcmp(one.baseAddress, $0.baseAddress, $0.count) == 0 }
        }
    }
}
