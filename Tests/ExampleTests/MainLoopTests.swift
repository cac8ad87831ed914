import AlcedoTestSupport
import Foundation
import Testing

/// Each example is run as a program of its own, on a picture of the fixtures.
@Suite(.timeLimit(.minutes(2)))
struct `Callbacks on the main queue arrive` {
    @Test func `in a program with an asynchronous main`() async throws {
        #expect(try await output(of: "AsyncMain") == "awaited: 227.0 points wide\ncalled back: memory\n")
    }

    @Test func `under dispatchMain`() async throws {
        #expect(try await output(of: "DispatchMain") == "called back: 227.0 points wide\n")
    }

    @Test func `under Foundation's run loop`() async throws {
        #expect(try await output(of: "RunLoopMain") == "called back: 227.0 points wide\n")
    }

    #if GTK
        @Test func `under GLib's main loop`() async throws {
            #expect(
                try await output(of: "GLibMain")
                    == "called back: 227.0 points wide\nand the main actor works\n")
        }
    #endif

    private func output(of example: String) async throws -> String {
        let folder = try TemporaryDirectory()
        let process = Process()
        // Beside the test bundle, where SwiftPM puts programs.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent(example)
        process.arguments = [Fixture.url("jpeg/testorig.jpg").path]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        let end = Gate()
        process.terminationHandler = { _ in end.open() }
        try process.run()
        await end.pass()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
