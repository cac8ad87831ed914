import AlcedoPixels
import AlcedoTestSupport
import CIsolation
import Foundation
import Testing

@testable import AlcedoIsolation

/// Each in a process of its own, whose memory, descriptors and children nobody else has.
///
/// `WorkerTrials` measures how soon a worker is ended and replaced.
/// Under a sanitizer workers are restricted less, which the tests of the sandbox's denials say by name.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `A worker that was taken over` {
    @Test(arguments: Deed.all)
    func `a worker that was taken over costs one image and nothing else`(_ deed: Deed) async throws {
        try await expectHarmless(deed)
    }

    @Test(.enabled(if: alcedo_is_sanitized() == 0), arguments: Deed.denied)
    func `what a worker that was taken over may not do is denied by the system`(_ deed: Deed) async throws {
        try await expectHarmless(deed)
    }

    private func expectHarmless(_ deed: Deed) async throws {
        try deed.leave()
        defer { Deed.remove() }
        await #expect(processExitsWith: .success) { Trial.run(try .left()) }
    }
}

/// What the worker does, and what is to come of that.
struct Deed: Codable, Sendable, CustomTestStringConvertible {
    let name: String
    let failure: String

    /// Other failures that are as good.
    var others: [String] = []

    /// Does not expire, unless the limit is what ends it.
    var seconds = 300.0

    var testDescription: String { name }

    /// Leaves the deed for the process of the next test: Swift 6.2 passes no values to such processes.
    func leave() throws { try JSONEncoder().encode(self).write(to: Self.file(of: getpid())) }

    /// The deed that the parent process has left.
    static func left() throws -> Deed {
        try JSONDecoder().decode(Deed.self, from: Data(contentsOf: file(of: getppid())))
    }

    static func remove() { try? FileManager.default.removeItem(at: file(of: getpid())) }

    private static func file(of process: pid_t) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-deed-\(process)")
    }

    func accepts(_ outcome: String) -> Bool {
        failure.isEmpty ? outcome.isEmpty : ([failure] + others).contains { outcome.contains($0) }
    }

    /// The thread that watches the channel keeps it open while it waits; before, it ends the worker or finds it closed.
    private static let closed = Deed(
        name: "close the channel", failure: "killed after 0.5 seconds",
        others: ["ended with status 0", "it closed the channel"], seconds: 0.5)

    private static func ended(_ name: String, by signal: String) -> Deed {
        Deed(name: name, failure: "ended by \(signal)")
    }

    /// The address sanitizer finds the first wrong write, reports it and ends the process by itself.
    private static func overrun(_ name: String) -> Deed {
        alcedo_is_sanitized() == 1 ? Deed(name: name, failure: "ended") : ended(name, by: "SIG")
    }

    /// A restricted worker can send none.
    private static let descriptors =
        alcedo_is_sanitized() == 1
        ? invalid("send a hundred descriptors", "its length or its descriptors")
        : ended("send a hundred descriptors", by: "SIGSYS")

    private static func invalid(_ name: String, _ reason: String) -> Deed {
        Deed(name: name, failure: "invalid response (\(reason)")
    }

    static let all = [
        ended("segfault", by: "SIGSEGV"), ended("abort", by: "SIGABRT"),
        ended("overflow the stack", by: "SIGSEGV"), ended("be killed", by: "SIGKILL"),
        Deed(name: "exit", failure: "ended with status 7"),
        Deed(name: "loop", failure: "killed after 0.5 seconds", seconds: 0.5),
        Deed(name: "stop", failure: "killed after 0.5 seconds", seconds: 0.5),
        closed,
        Deed(name: "allocate", failure: "more than 256 MiB of memory"),
        overrun("write beyond the end"),
        invalid("keep a mapping", "it still writes"), Deed(name: "shrink the memory", failure: ""),
        invalid("answer another size", "pixels"), invalid("answer a size that overflows", "pixels"),
        invalid("answer no size", "pixels"), invalid("answer too little", "pixels"),
        invalid("answer more than it keeps", "pixels"),
        invalid("answer a kind of alpha that is none", "pixels"),
        invalid("answer another request", "its response has another request number"),
        invalid("answer something else", "facts"), invalid("answer garbage", "its head"),
        invalid("answer too much", "its length"), Deed(name: "ask for too much memory", failure: "cut short"),
        invalid("ask for memory again and again", "it requests memory too often"),
        descriptors,
    ]

    static let denied = [
        Deed(name: "open a file", failure: "open: 1)"), Deed(name: "make a file", failure: "create: 1)"),
        Deed(name: "make code", failure: "mmap: 1)"), ended("make a socket", by: "SIGSYS"),
        ended("fork", by: "SIGSYS"), ended("execute", by: "SIGSYS"), ended("signal the parent", by: "SIGSYS"),
    ]
}

/// One image that harms its worker, among others that don't.
private struct Trial {
    private let deed: Deed
    private let group: DecoderGroup
    private let codec: IsolatedCodec

    init(_ deed: Deed) {
        self.deed = deed
        group = .hostile
        codec = IsolatedCodec(HostileFormat(), in: group)
    }

    static func run(_ deed: Deed) { Trial(deed).run() }

    private func run() {
        decodeWell("first")
        let before = Footprint()
        let outcome = outcome(of: deed.name, seconds: deed.seconds)
        if !deed.accepts(outcome) {
            fail("“\(outcome)” instead of “\(deed.failure)”")
        }
        decodeWell("second")
        group.pool.end()
        var after = Footprint()
        // The thread that has started the second worker may be about to let go of it.
        for _ in 0..<30_000 where after.descriptors > before.descriptors {
            poll(nil, 0, 10)
            after = Footprint()
        }
        if after.hasChildren { fail("a process is left") }
        if after.descriptors > before.descriptors {
            fail("\(after.descriptors - before.descriptors) descriptors are left")
        }
        let growth = after.residentBytes - before.residentBytes
        if alcedo_is_sanitized() == 0, growth > 16 << 20 { fail("memory grew by \(growth)") }
    }

    /// Nothing, or why it could not be decoded.
    private func outcome(of name: String, seconds: Double) -> String {
        let options = DecodeOptions {
            $0.limits.seconds = seconds
            $0.sandbox = .preferred
        }
        do throws(CodecError) {
            _ = try codec.decode(Array("hostile \(name)".utf8).span.bytes, options: options)
            return ""
        } catch {
            return error.description
        }
    }

    private func decodeWell(_ mark: String) {
        let failure = outcome(of: "nothing\n\(mark)", seconds: 300)
        if !failure.isEmpty { fail("a good image: \(failure)") }
    }

    private func fail(_ reason: String) {
        // What a test's process records reaches the log, and what it prints does not.
        Issue.record("\(deed.name): \(reason)")
        exit(1)
    }
}

/// What a process has of the system.
private struct Footprint {
    let descriptors: Int
    let residentBytes: Int
    let hasChildren: Bool

    init() {
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        residentBytes = (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        hasChildren = waitpid(-1, nil, WNOHANG) != -1
    }
}
