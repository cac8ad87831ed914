import AlcedoTestSupport
import Foundation
import Testing

/// Runs the program whose system calls hang; see `HangTrials`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `A program whose system calls hang` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `has the faults that it asks for`() async throws {
        #expect(try await lines("faults") == ["checks=10"])
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let text = try await BuiltProgram.output(of: "HangTrials", arguments, in: folder)
        return text.split(separator: "\n").map(String.init)
    }
}
