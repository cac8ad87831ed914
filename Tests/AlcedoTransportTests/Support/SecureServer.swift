import Foundation

/// nghttpd with a certificate that openssl has just signed: HTTP/2 over TLS on 127.0.0.1.
final class SecureServer {
    static let isAvailable = tool("nghttpd") != nil && tool("openssl") != nil

    let port: Int
    let folder: URL
    private let process: Process

    /// Serves `files`, by name, to anyone.
    init(files: [String: Data]) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: folder.appending(path: name)) }
        try Self.makeCertificate(in: folder)
        port = try Self.freePort()
        process = Process()
        process.executableURL = Self.tool("nghttpd")
        process.arguments = [
            "--address=127.0.0.1", "--htdocs=\(folder.path)", "--verbose", "\(port)",
            folder.appending(path: "key.pem").path, folder.appending(path: "certificate.pem").path,
        ]
        // In its verbose mode it says when it listens.
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let isListening = Arrivals<Bool>()
        let reader = output.fileHandleForReading
        Thread.detachNewThread {
            while case let data = reader.availableData, !data.isEmpty {
                if String(decoding: data, as: UTF8.self).contains("listen") { isListening.add(true) }
            }
            isListening.add(false)
        }
        guard await isListening.next() else { throw POSIXError(.EADDRINUSE) }
    }

    deinit {
        // A child inherits its thread's signal mask, and Dispatch's threads block SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    var url: String { "https://127.0.0.1:\(port)" }

    /// The authority that vouches for the server: itself.
    var authorityFile: String { folder.appending(path: "certificate.pem").path }

    private static func tool(_ name: String) -> URL? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { URL(filePath: $0 + name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static func makeCertificate(in folder: URL) throws {
        let openssl = Process()
        openssl.executableURL = tool("openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", folder.appending(path: "key.pem").path,
            "-out", folder.appending(path: "certificate.pem").path,
        ]
        openssl.standardError = FileHandle.nullDevice
        openssl.standardOutput = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int { try LoopbackServer { _ in }.port }
}
