import AlcedoTestSupport
import Foundation
import Testing

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
        executable: URL = executable, errorsOnTerminal: Bool = false, terminalAnswers: String? = nil,
        readsOutputAfter reading: DispatchSemaphore? = nil
    ) throws -> Running {
        let process = Process()
        process.executableURL = executable
        process.arguments = patient(arguments)
        process.currentDirectoryURL = folder
        // Without the settings of whoever runs the tests.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ALCEDO_") }
            // After a crash, Swift's backtracer may wait for ever for a program that is gone; it holds what tells of its end.
            .merging(["XDG_CACHE_HOME": cacheHome.path, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        return try Launching.alone {
            try Running(
                process, input: input, errorsOnTerminal: errorsOnTerminal, terminalAnswers: terminalAnswers,
                reading: reading)
        }
    }

    static var executable: URL { BuiltProgram.url(of: "alcedo") }

    /// With a time-out that no busy machine exceeds, where the arguments have none.
    private func patient(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, ["get", "info", "prefetch", "show"].contains(command),
            !arguments.contains("--timeout")
        else { return arguments }
        return [command, "--timeout", "600"] + arguments.dropFirst()
    }
}

/// A program that was started.
///
/// Safe because the process is only told to start, interrupt and report its end, which it allows on any thread.
final class Running: @unchecked Sendable {
    private let process: Process
    private let output: Reading
    private let errors: Reading
    private let end: AsyncStream<Int32>

    /// Starts `process`.
    ///
    /// - Parameters:
    ///   - process: what to start.
    ///   - input: its standard input.
    ///   - errorsOnTerminal: whether its standard error is a terminal.
    ///   - terminalAnswers: what the terminal at its standard output answers to a question for its attributes, given
    ///     before the question, as the program waits for a second only; nil for a pipe.
    ///   - reading: when its standard output is read; nil for at once.
    /// - Throws: what keeps it from being started.
    init(
        _ process: Process, input: String, errorsOnTerminal: Bool, terminalAnswers: String?,
        reading: DispatchSemaphore?
    ) throws {
        let (end, continuation) = AsyncStream.makeStream(of: Int32.self)
        let outputEnds = try terminalAnswers.map { try Self.terminal(answers: $0) } ?? Self.pipe()
        let errorEnds = try errorsOnTerminal ? Self.terminal() : Self.pipe()
        let inputPipe = Pipe()
        process.standardOutput = outputEnds.program
        process.standardError = errorEnds.program
        process.standardInput = inputPipe
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        try outputEnds.program.close()
        try errorEnds.program.close()
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        self.process = process
        self.end = end
        output = Self.contents(of: outputEnds.reader, after: reading)
        errors = Self.contents(of: errorEnds.reader, after: nil)
    }

    func interrupt() { process.interrupt() }

    func terminate() { process.terminate() }

    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// The number of the next descriptor that it opens.
    var lowestFreeDescriptor: Int {
        get throws {
            let folder = "/proc/\(process.processIdentifier)/fd"
            let open = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            return (0...open.count).first { !open.contains("\($0)") } ?? open.count
        }
    }

    /// Lets it have so many descriptors for now.
    func limitDescriptors(to count: Int) throws {
        let arguments = ["prlimit", "--pid=\(process.processIdentifier)", "--nofile=\(count):"]
        let limiting = Process()
        limiting.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        limiting.arguments = arguments
        try Launching.alone { try limiting.run() }
        limiting.waitUntilExit()
        try #require(limiting.terminationStatus == 0)
    }

    func outcome() async -> Program.Outcome {
        var code: Int32 = -1
        for await status in end { code = status }
        return Program.Outcome(
            code: code,
            output: await output.all(),
            errors: String(decoding: await errors.all(), as: UTF8.self)
        )
    }

    /// Waits until its standard output is as wanted, and returns it; nil if it ends before.
    func waitForOutput(_ isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
        @Sendable func text(_ pieces: [Data?]) -> String {
            String(decoding: Data(pieces.compactMap(\.self).joined()), as: UTF8.self)
        }
        _ = await output.pieces.wait { isWanted(text($0)) || $0.last == .some(nil) }
        let all = text(output.pieces.values)
        return isWanted(all) ? all : nil
    }

    /// Waits until its standard output has so many of a text; false if it ends before.
    func waitForText(_ text: String, count: Int) async -> Bool {
        @Sendable func hasText(_ pieces: [Data?]) -> Bool {
            let whole = String(decoding: Data(pieces.compactMap(\.self).joined()), as: UTF8.self)
            return whole.components(separatedBy: text).count > count
        }
        _ = await output.pieces.wait { hasText($0) || $0.last == .some(nil) }
        return hasText(output.pieces.values)
    }

    /// What is read while the program runs.
    private struct Reading {
        /// The bytes, then nil.
        let pieces = Recorder<Data?>()

        func all() async -> Data {
            _ = await pieces.wait { $0.last == .some(nil) }
            return Data(pieces.values.compactMap(\.self).joined())
        }
    }

    private static func pipe() -> (reader: FileHandle, program: FileHandle) {
        let pipe = Pipe()
        return (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    }

    /// A pseudo terminal, which ends lines with `\r\n`, and whose input begins with `answers`.
    ///
    /// Swift sees neither `openpty` nor `posix_openpt`.
    private static func terminal(
        answers: String = ""
    ) throws -> (reader: FileHandle, program: FileHandle) {
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
        let reader = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        try #require(ioctl(reader, setLock, &isLocked) == 0 && ioctl(reader, getNumber, &number) == 0)
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(program >= 0)
        if !answers.isEmpty {
            // As the program will set it, so that it can read what is no line, and nothing repeats that.
            var settings = termios()
            let hasSettings = tcgetattr(program, &settings) == 0
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            let isSet = hasSettings && tcsetattr(program, TCSANOW, &settings) == 0
            try #require(isSet)
            let bytes = Array(answers.utf8)
            try #require(write(reader, bytes, bytes.count) == bytes.count)
        }
        return (
            FileHandle(fileDescriptor: reader, closeOnDealloc: true),
            FileHandle(fileDescriptor: program, closeOnDealloc: true)
        )
    }

    /// Read on a thread of its own: it blocks until the program closes its end, which on a terminal is an error.
    private static func contents(
        of handle: FileHandle, after reading: DispatchSemaphore?
    ) -> Reading {
        let contents = Reading()
        Thread {
            reading?.wait()
            defer { contents.pieces.append(nil) }
            var chunk = [UInt8](repeating: 0, count: 512)
            while true {
                let count = read(handle.fileDescriptor, &chunk, chunk.count)
                if count > 0 {
                    contents.pieces.append(Data(chunk[..<count]))
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
        }.start()
        return contents
    }
}
