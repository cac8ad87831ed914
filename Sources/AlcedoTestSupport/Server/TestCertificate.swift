import Foundation

/// A certificate that signs itself, and its key, as openssl has just made them.
package struct TestCertificate: Sendable {
    /// Whether this machine has openssl.
    package static let isAvailable = tool("openssl") != nil

    /// The certificate in PEM; a client that takes it for an authority trusts the server.
    package let file: String

    let keyFile: String

    /// Makes one for `name`, valid from now on for so many days; negative ones make it expired.
    package init(
        in folder: TemporaryDirectory, for name: String = "IP:127.0.0.1", days: Int = 2
    ) async throws {
        file = folder.file("certificate.pem").path
        keyFile = folder.file("key.pem").path
        let request = folder.file("request.pem").path
        try await Self.run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=loopback", "-addext", "subjectAltName=\(name)", "-keyout", keyFile, "-out", request,
        ])
        try await Self.run([
            "x509", "-req", "-in", request, "-key", keyFile, "-copy_extensions", "copy", "-days", "\(days)",
            "-out", file,
        ])
    }

    private static func run(_ arguments: [String]) async throws {
        let openssl = Process()
        openssl.executableURL = tool("openssl")
        openssl.arguments = arguments
        openssl.standardError = FileHandle.nullDevice
        openssl.standardOutput = FileHandle.nullDevice
        let end = Gate()
        openssl.terminationHandler = { _ in end.open() }
        try Launching.alone { try openssl.run() }
        await end.pass()
        guard !openssl.isRunning, openssl.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }
}

/// Where this machine has a program; nil if it has not.
func tool(_ name: String) -> URL? {
    ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { URL(filePath: $0 + name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
