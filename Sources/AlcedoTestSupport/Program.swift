package import Foundation

/// The built `alcedo`, run as a user runs it, with a cache folder of its own.
package struct Program {
    package struct Outcome: Sendable {
        package let code: Int32
        package let output: Data
        package let errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    private let cacheHome: URL
    private let folder: URL

    package init(cacheHome: URL, folder: URL) {
        (self.cacheHome, self.folder) = (cacheHome, folder)
    }

    package func run(_ arguments: String..., input: String = "") async throws -> Outcome {
        let running = try start(arguments, input: input)
        return await running.outcome()
    }

    /// Runs it until it exits; no file can grow beyond `limit` bytes, as on a full disk.
    package func run(fileSizeLimit limit: Int, _ arguments: String...) async throws -> Outcome {
        let script = "trap '' XFSZ; ulimit -f \(limit / 512); exec \"$@\""
        let words = ["-c", script, "sh", Self.executable.path] + arguments
        return try await start(words, executable: URL(fileURLWithPath: "/bin/sh")).outcome()
    }

    package func start(
        _ arguments: [String], input: String = "", environment: [String: String] = [:],
        executable: URL = Program.executable, errorsOnTerminal: Bool = false,
        terminalResponses: String? = nil,
        readsOutputAfter reading: DispatchSemaphore? = nil
    ) throws -> Running {
        // Without the environment of the user who runs the tests.
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ALCEDO_") }
            // After a crash, Swift's backtracer may wait for ever for the program, and holds the descriptors that signal its end.
            .merging(["XDG_CACHE_HOME": cacheHome.path, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        return try Running(
            [executable.path] + patient(arguments), environment: environment, folder: folder, input: input,
            errorsOnTerminal: errorsOnTerminal, terminalResponses: terminalResponses, reading: reading)
    }

    /// Starts its server on a free port, with time limits that no busy machine exceeds, and waits until it listens.
    package func serve(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> (running: Running, port: Int) {
        let limits = [
            "ALCEDO_TIMEOUT": "600", "ALCEDO_DOWNLOAD_TIMEOUT": "600",
            "ALCEDO_READ_REQUEST_TIMEOUT": "600", "ALCEDO_WRITE_RESPONSE_TIMEOUT": "600",
        ]
        let running = try start(
            ["serve", "--bind", "127.0.0.1:0"] + arguments, environment: limits.merging(environment) { $1 })
        @Sendable func port(in text: String) -> Int? {
            text.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)"/).flatMap { Int($0.1) }
        }
        guard let port = port(in: await running.waitForOutput { port(in: $0) != nil } ?? "") else {
            let outcome = await running.outcome()
            throw ServerDidNotStart(output: outcome.text + outcome.errors)
        }
        return (running, port)
    }

    package struct ServerDidNotStart: Error { let output: String }

    package static var executable: URL { BuiltProgram.url(of: "alcedo") }

    /// With a timeout that no busy machine exceeds, where the arguments have none.
    private func patient(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, ["get", "info", "prefetch", "show"].contains(command),
            !arguments.contains("--timeout")
        else { return arguments }
        return [command, "--timeout", "600"] + arguments.dropFirst()
    }
}

package final class Running: Sendable {
    private let process: ChildProcess
    private let output: Reading
    private let errors: Reading

    /// Starts a program; `words` are its path and its arguments.
    ///
    /// `terminalResponses` are what the terminal at its standard output responds to a query of its attributes, written
    /// before the query, as the program waits for a second only; nil for a pipe. Its output is read after `reading`, or at
    /// once.
    init(
        _ words: [String], environment: [String: String], folder: URL, input: String, errorsOnTerminal: Bool,
        terminalResponses: String?, reading: DispatchSemaphore?
    ) throws {
        let outputEnds = try terminalResponses.map { try Self.terminal(responses: $0) } ?? Self.pipe()
        let errorEnds = try errorsOnTerminal ? Self.terminal() : Self.pipe()
        let inputPipe = Pipe()
        process = try ChildProcess(
            words, environment: environment, folder: folder, input: .handle(inputPipe.fileHandleForReading),
            output: .handle(outputEnds.program), errors: .handle(errorEnds.program),
            // The kernel stops no process with SIGTSTP whose group is without a shell.
            hasOwnGroup: terminalResponses != nil)
        try inputPipe.fileHandleForReading.close()
        try outputEnds.program.close()
        try errorEnds.program.close()
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputPipe.fileHandleForWriting.close()
        output = Self.contents(of: outputEnds.reader, after: reading)
        errors = Self.contents(of: errorEnds.reader, after: nil)
    }

    package func interrupt() { process.signal(SIGINT) }

    package func terminate() { process.signal(SIGTERM) }

    /// As Ctrl-\.
    package func quit() { process.signal(SIGQUIT) }

    package func hangUp() { process.signal(SIGHUP) }

    /// As Ctrl-Z; returns once it is stopped, or at the end of the task.
    package func suspend() async throws {
        process.signal(SIGTSTP)
        while try !state.hasPrefix("T"), !Task.isCancelled { await Task.yield() }
    }

    /// As the shell's command `fg`.
    package func resume() { process.signal(SIGCONT) }

    private var state: Substring {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
            return text.split(separator: ")").last?.split(separator: " ").first ?? ""
        }
    }

    /// The number of the next descriptor that it opens.
    package var lowestFreeDescriptor: Int {
        get throws {
            let folder = "/proc/\(process.id)/fd"
            let open = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            return (0...open.count).first { !open.contains("\($0)") } ?? open.count
        }
    }

    /// The seconds of processor time that it has taken.
    package var processorTime: Double {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            return fields[11...12].reduce(0) { $0 + (Double($1) ?? 0) } / 100
        }
    }

    package func limitDescriptors(to count: Int) async throws {
        let words = ["/usr/bin/env", "prlimit", "--pid=\(process.id)", "--nofile=\(count):"]
        guard try await ChildProcess(words).waitForEnd().status == 0 else { throw POSIXError(.EPERM) }
    }

    package func outcome() async -> Program.Outcome {
        Program.Outcome(
            code: (try? await process.waitForEnd())?.status ?? -1,
            output: await output.all(),
            errors: String(decoding: await errors.all(), as: UTF8.self)
        )
    }

    /// Waits until its standard output is as wanted, and returns it; nil if it ends before.
    package func waitForOutput(_ isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
        @Sendable func text(_ pieces: [Data?]) -> String {
            String(decoding: Data(pieces.compactMap(\.self).joined()), as: UTF8.self)
        }
        _ = await output.pieces.wait { isWanted(text($0)) || $0.last == .some(nil) }
        let all = text(output.pieces.values)
        return isWanted(all) ? all : nil
    }

    /// Waits until its standard output has so many of a text; false if it ends before.
    package func waitForText(_ text: String, count: Int) async -> Bool {
        await waitForOutput { $0.components(separatedBy: text).count > count } != nil
    }

    /// The output that is read while the program runs.
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

    /// A pseudo terminal, which ends lines with `\r\n`, and whose input starts with `responses`.
    ///
    /// Swift sees neither `openpty` nor `posix_openpt`.
    private static func terminal(
        responses: String = ""
    ) throws -> (reader: FileHandle, program: FileHandle) {
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
        let reader = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        guard ioctl(reader, setLock, &isLocked) == 0, ioctl(reader, getNumber, &number) == 0 else {
            throw POSIXError(.EIO)
        }
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard program >= 0 else { throw POSIXError(.EIO) }
        if !responses.isEmpty {
            // As the program will set it: so that it can read bytes without a line break, and the terminal doesn't echo them.
            var settings = termios()
            guard tcgetattr(program, &settings) == 0 else { throw POSIXError(.EIO) }
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            let bytes = Array(responses.utf8)
            guard tcsetattr(program, TCSANOW, &settings) == 0,
                write(reader, bytes, bytes.count) == bytes.count
            else {
                throw POSIXError(.EIO)
            }
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
