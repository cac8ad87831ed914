import AlcedoTestSupport
import Foundation
import Testing

/// Runs the program that takes descriptors from itself; see `NetworkTrials`.
@Suite(.timeLimit(.minutes(10)))
struct `Loads with too few descriptors` {
    private let folder: TemporaryDirectory
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryDirectory()
        server = try LoopbackServer()
        server.serve("/", .text("bird"))
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let text = try await BuiltProgram.output(of: "NetworkTrials", arguments, in: folder)
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `loads without descriptors fail with the reason, and work once there are some`() async throws {
        let lines = try await lines("late", server.address("/"))
        try #require(lines.count == 3)
        for line in lines.prefix(2) {
            #expect(line.contains("Too many open files") && line.contains(server.address("/")))
        }
        #expect(lines[2] == "status 200")
    }

    @Test func `loads from 300 origins with 64 descriptors all end well`() async throws {
        let lines = try await lines("origins", "300", "64", "\(server.port)")
        #expect(lines == ["300 × status 200"])
    }

    @Test func `loads with too few descriptors close connections that wait to be used again`() async throws {
        let lines = try await lines("idle", "8", "\(server.port)")
        #expect(lines == ["8 × status 200", "8 × status 200"])
    }

    @Test func `loads without descriptors wait for running loads, or fail with the reason`() async throws {
        let lines = try await lines("taken", "20", "3", "\(server.port)")
        try #require(lines.count == 5)
        #expect(lines[..<2] == ["1 × status 200", "20 × status 200"])
        #expect(lines[2].contains("Could not connect") && !lines[2].contains("open files"))
        #expect(lines[3].contains("Too many open files"))
        #expect(lines[4] == "1 × status 200")
    }
}
