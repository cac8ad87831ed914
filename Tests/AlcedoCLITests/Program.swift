import AlcedoTestSupport
import Foundation

/// The built `alcedo`, run as a user runs it, with a cache folder of its own.
struct Program {
    struct Outcome {
        let code: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    let cacheHome: URL
    let folder: URL

    /// Runs it to its end.
    func run(_ arguments: String..., input: String = "") async throws -> Outcome {
        let running = try start(arguments, input: input)
        return await running.outcome()
    }

    /// Runs it to its end with no file growing beyond `limit` bytes, as on a disk that is full.
    func run(fileSizeLimit limit: Int, _ arguments: String...) async throws -> Outcome {
        let script = "trap '' XFSZ; ulimit -f \(limit / 512); exec \"$@\""
        let words = ["-c", script, "sh", Self.executable.path] + arguments
        return try await start(words, executable: URL(fileURLWithPath: "/bin/sh")).outcome()
    }

    /// Starts it.
    func start(
        _ arguments: [String], input: String = "", environment: [String: String] = [:],
        executable: URL = executable
    ) throws -> Running {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(["XDG_CACHE_HOME": cacheHome.path]) { $1 }
            .merging(environment) { $1 }
        return try Launching.alone { try Running(process, input: input) }
    }

    static var executable: URL { BuiltProgram.url(of: "alcedo") }
}

/// A program that was started.
///
/// Safe because the process is only told to start, interrupt and report its end, which it allows on any thread.
final class Running: @unchecked Sendable {
    private let process: Process
    private let output: Recorder<Data>
    private let errors: Recorder<Data>
    private let end: AsyncStream<Int32>

    init(_ process: Process, input: String) throws {
        let (end, continuation) = AsyncStream.makeStream(of: Int32.self)
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        let inputPipe = Pipe()
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        process.standardInput = inputPipe
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        self.process = process
        self.end = end
        output = Self.contents(of: outputPipe)
        errors = Self.contents(of: errorPipe)
    }

    func interrupt() { process.interrupt() }

    func outcome() async -> Program.Outcome {
        var code: Int32 = -1
        for await status in end { code = status }
        return Program.Outcome(
            code: code,
            output: await output.waitFor(count: 1).first ?? Data(),
            errors: String(decoding: await errors.waitFor(count: 1).first ?? Data(), as: UTF8.self)
        )
    }

    /// Read on a thread of its own: it blocks until the program closes its end.
    private static func contents(of pipe: Pipe) -> Recorder<Data> {
        let contents = Recorder<Data>()
        Thread { contents.append((try? pipe.fileHandleForReading.readToEnd()) ?? Data()) }.start()
        return contents
    }
}
