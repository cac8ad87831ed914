import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The start of the command` {
    let folder: TemporaryDirectory
    let program: Program

    init() throws {
        folder = try TemporaryDirectory()
        program = Program(cacheHome: folder.url, folder: folder.url)
    }

    /// The dynamic loader lists what it loads for a program, and doesn't run it.
    @Test func `the start of the command loads no library of an optional format`() async throws {
        let outcome = try await program.start(["info"], environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
            .outcome()
        let libraries = outcome.text.split(separator: "\n").compactMap {
            $0.split(whereSeparator: \.isWhitespace).first
        }
        #expect(libraries.contains { $0.hasPrefix("libc.so") }, "\(outcome)")
        for name in ["libheif", "libavif", "libjxl", "libtiff", "librsvg"] {
            #expect(!libraries.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    // A user's number of processes would not limit root.
    @Test(arguments: [
        ("ulimit -n 8", "only 8 files may be open at a time, and 32 are needed; raise the limit (ulimit -n)"),
        (tooFewThreads, shortage(of: ProcessorCount.ofSwift + ProcessorCount.usable + 12)),
        // One processor, which this process may use.
        (
            "\(tooFewThreads) && first=$(grep Cpus_allowed_list /proc/self/status | grep -o '[0-9]*' | head -n 1) "
                + "&& set -- taskset -c $first \"$@\"",
            shortage(of: 1 + 1 + 12)
        ),
    ])
    func `the start of the command says which limit of the system is too low`(limit: String, message: String)
        async throws
    {
        let outcome = try await run(from: "\(limit) && exec \"$@\"")
        #expect(outcome.errors == "alcedo: \(message)\n")
        #expect(outcome.code == 1)
    }

    private static let tooFewThreads = "ulimit -s 16000000 && ulimit -v 20000000"

    private static func shortage(of threads: Int) -> String {
        "only 1 of the \(threads) threads that are needed can be started; "
            + "raise the limit of processes (ulimit -u, or TasksMax of a service), or end some"
    }

    @Test(.enabled("where this user may mount file systems") { try await isAllowedToMount() })
    func `the start of the command says that /proc is missing`() async throws {
        let outcome = try await run(from: "\(Self.hiding) \"$@\"")
        #expect(
            outcome.errors
                == "alcedo: /proc is not mounted, and Swift's threads need it; mount it (mount -t proc proc /proc)\n"
        )
        #expect(outcome.code == 1)
    }

    /// Runs it from a shell.
    private func run(from script: String) async throws -> Program.Outcome {
        let words = ["-c", script, "sh", Program.executable.path, "--version"]
        return try await program.start(words, executable: URL(filePath: "/bin/sh")).outcome()
    }

    private static let hiding = "unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh"

    private static func isAllowedToMount() async throws -> Bool {
        try await ChildProcess(["/bin/sh", "-c", "\(hiding) true"], errors: .null).waitForEnd().status == 0
    }
}
