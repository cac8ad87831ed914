import AlcedoTestSupport
import CFaults
import Foundation
import Glibc

/// Runs a command of `alcedo` with the faults, in which one call after the other hangs.
struct ProgramTrial: Sendable {
    struct Line: Sendable {
        var call = ""
        var outcome = ""
        var seconds = 0.0
        var problem: String?
    }

    /// Seconds that a command may take to end after Ctrl-C: it waits 2 s for its cache.
    private static let interruption = 8.0
    private static let width = 6

    let scenario: ProgramScenario
    let server: LoopbackServer

    /// The shared library with the faults, and the file that has them.
    let library: String
    let table: String

    /// Tries all calls that the command makes, and prints a line for each; returns how many were wrong.
    func run() async throws -> (cases: Int, problems: Int) {
        var (cases, problems, first) = (0, 0, scenario.first)
        while first <= scenario.most {
            let numbers = first..<first + min(Self.width, scenario.most - first + 1)
            let lines = try await withThrowingTaskGroup(of: (Int, Line).self) { group in
                for number in numbers { group.addTask { (number, try await attempt(number)) } }
                return try await group.reduce(into: [Int: Line]()) { $0[$1.0] = $1.1 }
            }
            for number in numbers {
                guard let line = lines[number], !line.call.isEmpty else { continue }
                cases += 1
                problems += line.problem == nil ? 0 : 1
                let problem = line.problem.map { "  WRONG: \($0)" } ?? ""
                let time = String(format: "%.1f s", line.seconds)
                say("\(scenario.name)\t\(line.call) \(number)\t\(line.outcome)\t\(time)\(problem)")
            }
            if lines.values.contains(where: \.call.isEmpty) { break }
            first += Self.width
        }
        return (cases, problems)
    }

    private func attempt(_ number: Int) async throws -> Line {
        let folder = try RunFolder(server)
        let count = scenario.isLasting ? Int32.max : 1
        let fault =
            scenario.limit == nil
            ? Fault("\(scenario.fault) \(folder.text(scenario.calls)) \(number) \(count) \(folder.tag)") : nil
        defer { fault?.remove() }
        let process = try folder.start(
            scenario.arguments, of: scenario.program, limit: scenario.limit, library: library, table: table)
        let start = ContinuousClock.now
        func seconds() -> Double { (ContinuousClock.now - start) / .seconds(1) }
        let ending = Background { try? await process.waitForEnd() }
        var line = Line()
        var end = await onThread { ending.wait(seconds: scenario.bound ?? 3) ?? nil }
        line.seconds = seconds()
        line.call = fault?.hit ?? scenario.limit ?? ""
        if end == nil {
            let isHung = scenario.bound != nil && !line.call.isEmpty
            if isHung { line.problem = "has not ended in \(scenario.bound ?? 0) s" }
            let since = seconds()
            process.signal(SIGINT)
            end = await onThread { ending.wait(seconds: Self.interruption) ?? nil }
            let time = String(format: "%.1f s", seconds() - since)
            if end != nil {
                line.outcome = "Ctrl-C after \(time): "
            } else {
                line.problem = (line.problem.map { "\($0); " } ?? "") + "Ctrl-C did not end it in \(time)"
                process.signal(SIGINT)
                end = await onThread { ending.wait(seconds: 2) ?? nil }
                if end == nil {
                    line.problem? += ", nor did a second one"
                    process.signal(SIGKILL)
                    end = await onThread { ending.wait() ?? nil }
                }
            }
        }
        guard let end else { return line }
        line.outcome += end.isKilled ? "killed by signal \(end.status)" : "exit \(end.status)"
        // Ctrl-C may come before the command has its handlers.
        if end.isKilled, ![SIGKILL, SIGINT].contains(end.status) { line.problem = "crashed" }
        if let text = folder.errors { line.outcome += ": \(text)" }
        return line
    }
}

/// The folders of one run of a program.
struct RunFolder: Sendable {
    private let folder: TemporaryDirectory
    private let server: LoopbackServer

    /// Tells the faults of this run's program from those of others.
    var tag: String { folder.url.lastPathComponent }

    init(_ server: LoopbackServer) throws {
        self.server = server
        folder = try TemporaryDirectory()
        for name in ["cache", "files", "out"] {
            try FileManager.default.createDirectory(
                at: folder.file(name), withIntermediateDirectories: false)
        }
        try Data(Fixture.data("made/odd-7x9.jpg")).write(to: folder.file("files/picture.jpg"))
        try Data(server.address("/picture").utf8).write(to: folder.file("files/list"))
    }

    /// Puts the folder and the server into a text.
    func text(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "…", with: folder.path)
        return text.hasPrefix("http:/") && !text.hasPrefix("http://")
            ? server.address(String(text.dropFirst(5))) : text
    }

    /// Starts a program, under another program, or in a shell that lowers a limit first, for which there are no faults.
    func start(
        _ arguments: [String], of program: String = "alcedo", under tracer: [String] = [],
        limit: String? = nil, library: String,
        table: String, variables: [String: String] = [:]
    ) throws -> ChildProcess {
        var environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_CACHE_HOME": folder.file("cache").path,
            "SWIFT_BACKTRACE": "enable=no", "LD_PRELOAD": library, "FAULTS_TABLE": table,
            "FAULTS_TAG": tag,
        ]
        environment.merge(variables.mapValues(text)) { $1 }
        var words = [BuiltProgram.url(of: program).path] + arguments.map(text)
        if !tracer.isEmpty { words = tracer + words }
        if !tracer.isEmpty || limit != nil { environment["LD_PRELOAD"] = nil }
        if let limit {
            words = ["/bin/sh", "-c", "\(limit); exec \"$@\"", "sh"] + words
        }
        let streams = ["output", "errors"].map {
            open(folder.file($0).path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        }
        defer { for stream in streams { close(stream) } }
        return try ChildProcess(
            words, environment: environment, folder: folder.file("out"), output: .descriptor(streams[0]),
            errors: .descriptor(streams[1]))
    }

    /// The standard output so far.
    var output: String { (try? String(contentsOf: folder.file("output"), encoding: .utf8)) ?? "" }

    /// The first line of the standard error, nil if there is none.
    var errors: String? {
        guard let text = try? String(contentsOf: folder.file("errors"), encoding: .utf8), !text.isEmpty
        else { return nil }
        return text.prefix { $0 != "\n" }.replacingOccurrences(of: folder.path, with: "…")
    }
}
