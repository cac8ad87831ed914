import AlcedoWaiting
import Foundation

/// A new self-signed certificate of openssl, with its key.
package struct TestCertificate: Sendable {
    package static let isAvailable = tool("openssl") != nil

    /// The certificate in PEM; a client that uses it as a CA trusts the server.
    package let file: String

    let keyFile: String

    /// Creates a certificate for `name`, valid for `days` from now; expired if that is negative.
    package init(
        in folder: TemporaryDirectory, for name: String = "IP:127.0.0.1", days: Int = 2
    ) async throws {
        file = folder.file("certificate.pem").path
        keyFile = folder.file("key.pem").path
        let request = folder.file("request.pem").path
        try await openssl([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=loopback", "-addext", "subjectAltName=\(name)", "-keyout", keyFile, "-out", request,
        ])
        let signing = [
            "x509", "-req", "-in", request, "-key", keyFile, "-copy_extensions", "copy", "-out", file,
        ]
        do {
            try await openssl(signing + ["-days", "\(days)"])
        } catch {
            guard days < 0 else { throw error }
            // OpenSSL 3.4 and later reject a negative number, and have these options.
            try await openssl(
                signing + ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"])
        }
    }
}

/// Runs openssl; throws if it fails.
func openssl(_ arguments: [String]) async throws {
    guard let openssl = tool("openssl")?.path else { throw POSIXError(.ENOENT) }
    let end = try await ChildProcess([openssl] + arguments, output: .null, errors: .null).waitForEnd()
    guard end.status == 0, !end.isKilled else { throw POSIXError(.EIO) }
}

/// The path of an installed program; nil if it is not installed.
func tool(_ name: String) -> URL? {
    ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { URL(filePath: $0 + name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
