package import Foundation

/// A new RSA key of openssl.
package struct TestKey: Sendable {
    /// The private key in PEM (PKCS #8).
    package let pem: String

    private let folder: TemporaryDirectory
    private var path: String { folder.file("private.pem").path }

    package init(in folder: TemporaryDirectory) async throws {
        self.folder = folder
        let file = folder.file("private.pem")
        try await openssl([
            "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", file.path,
        ])
        pem = try String(contentsOf: file, encoding: .utf8)
    }

    /// The key of a service account of Google, in the form of its files.
    package func googleAccount(email: String, tokens: String? = nil) throws -> String {
        var fields = [
            "type": "service_account", "client_email": email, "private_key": pem, "private_key_id": "k1",
        ]
        fields["token_uri"] = tokens
        return String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
    }

    /// Throws if `signature` is not this key's for SHA-256 of `message`.
    package func verify(_ signature: Data, of message: Data) async throws {
        let (signatureFile, messageFile) = (folder.file("signature"), folder.file("message"))
        try signature.write(to: signatureFile)
        try message.write(to: messageFile)
        try await openssl([
            "dgst", "-sha256", "-prverify", path, "-signature", signatureFile.path, messageFile.path,
        ])
    }
}
