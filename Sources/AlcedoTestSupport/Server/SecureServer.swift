import AlcedoWaiting
package import Foundation

/// nghttpd with a new self-signed certificate: HTTP/2 over TLS on 127.0.0.1.
package final class SecureServer {
    /// Whether this machine has the two programs.
    package static let isAvailable = tool("nghttpd") != nil && TestCertificate.isAvailable

    package let port: Int
    private let folder: TemporaryDirectory
    private let certificate: TestCertificate
    private let process: ChildProcess

    /// Serves files of these names and sizes, filled with zeros.
    package convenience init(files: [String: Int]) async throws {
        let folder = try TemporaryDirectory()
        for (name, size) in files {
            try Data().write(to: folder.file(name))
            guard truncate(folder.file(name).path, size) == 0 else { throw POSIXError(.EIO) }
        }
        try await self.init(folder)
    }

    package convenience init(file name: String, _ content: Data) async throws {
        let folder = try TemporaryDirectory()
        try content.write(to: folder.file(name))
        try await self.init(folder)
    }

    private init(_ folder: TemporaryDirectory) async throws {
        self.folder = folder
        certificate = try await TestCertificate(in: folder)
        (process, port) = try await Self.launch(in: folder)
    }

    deinit { process.signal(SIGKILL) }

    /// The server's URL, without a path.
    package var url: String { "https://127.0.0.1:\(port)" }

    /// The CA file to verify the server with: its own certificate.
    package var authorityFile: String { certificate.file }

    private static func launch(in folder: TemporaryDirectory) async throws -> (ChildProcess, port: Int) {
        guard let program = tool("nghttpd")?.path else { throw POSIXError(.ENOENT) }
        // Another process may have taken the port since it was found free.
        for _ in 0..<5 {
            let port = try ClosedPort().number
            let words = [
                program, "--address=127.0.0.1", "--htdocs=\(folder.path)", "--verbose", "\(port)",
                folder.file("key.pem").path, folder.file("certificate.pem").path,
            ]
            if let process = try await start(words) { return (process, port) }
        }
        throw POSIXError(.EADDRINUSE)
    }

    /// Starts the server and waits until it listens; nil if it exits.
    private static func start(_ words: [String]) async throws -> ChildProcess? {
        let output = Pipe()
        let process = try ChildProcess(words, output: .handle(output.fileHandleForWriting), errors: .null)
        try output.fileHandleForWriting.close()
        let reader = output.fileHandleForReading
        let news = Recorder<Bool>()
        // In verbose mode it prints a line once it listens.
        Thread.detachNewThread {
            while case let data = reader.availableData, !data.isEmpty {
                if String(decoding: data, as: UTF8.self).contains("listen") { news.append(true) }
            }
            news.append(false)
        }
        if let listens = await news.waitFor(count: 1).first { return listens ? process : nil }
        process.signal(SIGKILL)
        throw CancellationError()
    }
}
