import AlcedoTestSupport
import Foundation
import Testing

/// Runs the program whose name server never responds; see `NetworkTrials`.
@Suite(.timeLimit(.minutes(10)))
struct `Lookups that hang` {
    @Test(.enabled("where this user may mount files") { try await isAllowed() })
    func `lookups that hang end at their limit or when cancelled, and delay no transfer`() async throws {
        let server = try LoopbackServer()
        server.serve("/", .text("bird"))
        let folder = try TemporaryDirectory()
        // Other runs of the tests have other addresses of this machine.
        let address = "127." + (0..<3).map { _ in "\(Int.random(in: 2...250))" }.joined(separator: ".")
        let file = folder.file("resolv.conf")
        // A lookup takes the C library 450 s, and whoever waits for it longer than this test may take.
        let servers = String(repeating: "nameserver \(address)\n", count: 3)
        try Data("\(servers)options timeout:30 attempts:5\n".utf8).write(to: file)
        let words =
            Self.mounting(file.path) + [
                BuiltProgram.url(of: "NetworkTrials").path, "lookup", address, server.address("/"),
            ]
        let output = folder.file("output")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let program = try ChildProcess(words, output: .handle(handle))
        try await program.waitForEnd()
        let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "The transfer was cancelled.", "Could not connect within 0.1 s: http://second.example/",
                "status 200", "The transfer was cancelled.",
            ])
    }

    /// The words that start a program with another file in place of `/etc/resolv.conf`.
    private static func mounting(_ file: String) -> [String] {
        let script = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
        return ["/usr/bin/env", "unshare", "--mount", "sh", "-c", script, file]
    }

    private static func isAllowed() async throws -> Bool {
        let words = mounting("/etc/resolv.conf") + ["true"]
        return try await ChildProcess(words, errors: .null).waitForEnd().status == 0 && getuid() == 0
    }
}
