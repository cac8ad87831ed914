import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Runs the program that does what can't be done in the process of the tests; see `DiskTrials`.
@Suite(.serialized) struct `A disk cache on trial` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "open", "read", "fstat", "write", "futimens", "fsetxattr", "fgetxattr", "close", "rename", "link",
            "mkdir", "opendir", "flock", "pread", "pwrite", "ftruncate",
        ])
    func `a disk cache loads every image and keeps what it has, whichever system call fails`(call: String)
        async throws
    {
        let lines = try await output("faults", call)
        #expect(lines.dropLast() == [])
        let figures = try figures(lines)
        // Only a damaged account is cut off, and nothing is linked unless a caller wants nothing replaced.
        if !["link", "opendir", "ftruncate"].contains(call) { #expect(figures["faults", default: 0] > 10) }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [0, 500_000])
    func `a disk cache has whole entries and no leftovers after 300 kills`(limit: Int) async throws {
        let lines = try await output("kills", folder.path, "300", "\(limit)")
        #expect(lines.dropLast() == [])
        let figures = try figures(lines)
        #expect(figures["entries", default: 0] > 3)
        // The limit and 5 %, and what a process reserves ahead.
        #expect(limit == 0 || (limit / 2...limit + limit / 18).contains(figures["most", default: 0]))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a disk cache gives four processes no wrong byte, and stays below 110% of its limit`() async throws {
        let lines = try await output("crowd", folder.path, "1000")
        #expect(lines.dropLast() == [])
        let figures = try figures(lines)
        let (limit, most) = (figures["limit", default: 0], figures["most", default: 0])
        #expect(most > limit / 2 && most <= limit + limit / 10)
    }

    /// The lines that the program prints; the last one has figures.
    private func output(_ arguments: String...) async throws -> [String] {
        let text = try await BuiltProgram.output(of: "DiskTrials", arguments, in: folder)
        return text.split(separator: "\n").map(String.init)
    }

    /// `a=1 b=2` of the last line.
    private func figures(_ lines: [String]) throws -> [String: Int] {
        let pairs = try #require(lines.last).split(separator: " ").map { $0.split(separator: "=") }
        return try Dictionary(
            uniqueKeysWithValues: pairs.map { pair in
                (String(try #require(pair.first)), try #require(pair.last.flatMap { Int($0) }))
            })
    }
}
