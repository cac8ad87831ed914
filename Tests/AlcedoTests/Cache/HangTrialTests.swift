import AlcedoTestSupport
import Foundation
import Testing

/// Runs the program whose system calls hang; see `HangTrials`.
@Suite(.timeLimit(.minutes(10))) struct `A program whose system calls hang` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `the program whose system calls hang has the faults that it asks for`() async throws {
        #expect(try await lines("faults") == ["checks=11"])
    }

    /// A disk that hangs is found out after 5 to 10 s, which nothing can shorten in another process.
    ///
    /// With this patience the longest bound, 128 s, is over before the suite's.
    @Test(arguments: ["load from the disk", "remove", "load, then shut down"])
    func `every call of an image cache ends in a program whose disk hangs`(scenario: String) async throws {
        let lines = try await lines("calls", scenario, "patience=4")
        #expect(lines.filter { $0.contains("WRONG") } == [])
        #expect(lines.last?.hasSuffix(" problems=0") == true)
        #expect(lines.count > 4)
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let text = try await BuiltProgram.output(of: "HangTrials", arguments, in: folder)
        return text.split(separator: "\n").map(String.init)
    }
}
