import AlcedoTestSupport
import CFaults
import Foundation
import FoundationNetworking

/// Runs `alcedo serve` with the faults: a request whose calls hang, others beside it, and the end.
struct ServerTrial: Sendable {
    /// What hangs: its name, the calls and where, and the path of the request that they belong to.
    struct Hang: Sendable {
        let name: String
        let calls: String
        let path: String

        /// Whether all calls from there on hang.
        var isLasting = false

        static let all: [Hang] = [
            Hang(name: "local file", calls: "* …/files", path: "/unsafe/w:5/plain/local:///picture.jpg@png"),
            Hang(name: "result cache", calls: "* …/cache", path: "/unsafe/w:5/plain/http:/picture@png"),
            Hang(name: "log", calls: "write #1", path: "/unsafe/w:5/plain/http:/picture@png"),
            Hang(
                name: "name of the origin", calls: "getaddrinfo @hung.test",
                path: "/unsafe/w:5/plain/http://hung.test/a.jpg@png"),
        ]
    }

    /// Seconds for an answer, and for running requests at the end.
    private static let timeout = 3.0
    private static let slack = 3.0
    private static let width = 4

    /// The settings of the servers.
    static let variables = [
        "ALCEDO_TIMEOUT": "\(Int(timeout))", "ALCEDO_DOWNLOAD_TIMEOUT": "2",
        "ALCEDO_GRACEFUL_STOP_TIMEOUT": "2", "ALCEDO_LOCAL_FILESYSTEM_ROOT": "…/files",
        "ALCEDO_CACHE_FOLDER": "…/cache", "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
        "ALCEDO_ALLOW_PRIVATE_SOURCE_ADDRESSES": "true",
    ]

    let hang: Hang
    let server: LoopbackServer
    let library: String
    let table: String

    func run() async throws -> (cases: Int, problems: Int) {
        var (cases, problems, first) = (0, 0, 1)
        while first < 60 {
            let lines = try await withThrowingTaskGroup(of: (Int, ProgramTrial.Line).self) { group in
                for number in first..<first + Self.width {
                    group.addTask { (number, try await attempt(number)) }
                }
                return try await group.reduce(into: [Int: ProgramTrial.Line]()) { $0[$1.0] = $1.1 }
            }
            for number in first..<first + Self.width {
                guard let line = lines[number], !line.call.isEmpty else { continue }
                cases += 1
                problems += line.problem == nil ? 0 : 1
                let problem = line.problem.map { "  WRONG: \($0)" } ?? ""
                let time = String(format: "%.1f s", line.seconds)
                let call = "\(line.call) \(number)\(hang.isLasting ? "…" : "")"
                say("serve: \(hang.name)\t\(call)\t\(line.outcome)\t\(time)\(problem)")
            }
            if lines.values.contains(where: \.call.isEmpty) { break }
            first += Self.width
        }
        return (cases, problems)
    }

    private func attempt(_ number: Int) async throws -> ProgramTrial.Line {
        let folder = try RunFolder(server)
        let process = try folder.start(
            ["serve", "--bind", "127.0.0.1:0"], library: library, table: table,
            variables: Self.variables)
        let ending = Background { try? await process.waitForEnd() }
        guard let port = await onThread({ Self.port(of: folder) }) else {
            process.signal(SIGKILL)
            return ProgramTrial.Line(
                call: "start", outcome: folder.errors ?? "", problem: "does not listen")
        }
        let fault = Fault(
            "hang \(folder.text(hang.calls)) \(number) \(hang.isLasting ? Int32.max : 1) \(folder.tag)")
        defer { fault.remove() }
        var line = ProgramTrial.Line()
        let start = ContinuousClock.now
        let path = hang.path.replacingOccurrences(of: "http:/picture", with: server.address("/picture"))
        let request = Background { await Self.status(of: path, port) }
        let first = await onThread { request.wait(seconds: Self.timeout + Self.slack) ?? nil }
        line.seconds = (ContinuousClock.now - start) / .seconds(1)
        line.call = fault.hit
        line.outcome = first.map { "\($0)" } ?? "no answer"
        var problems: [String] = []
        if first == nil { problems.append("no answer in \(Self.timeout + Self.slack) s") }
        // Others go on while it hangs, or still hangs.
        for (name, target) in [
            ("health", "/health"), ("another image", "/unsafe/w:4/plain/\(server.address("/picture"))@jpg"),
        ] where !line.call.isEmpty {
            let other = Background { await Self.status(of: target, port) }
            let answer = await onThread { other.wait(seconds: Self.timeout + Self.slack) ?? nil }
            if answer != 200 { problems.append("\(name): \(answer.map { "\($0)" } ?? "no answer")") }
        }
        process.signal(SIGTERM)
        let stop = ContinuousClock.now
        let end = await onThread { ending.wait(seconds: 2 + 10 + Self.slack) ?? nil }
        let time = String(format: "%.1f s", (ContinuousClock.now - stop) / .seconds(1))
        if let end {
            line.outcome += ", ended after \(time)"
            if end.isKilled || end.status != 0 { problems.append("exit \(end.status)") }
        } else {
            problems.append("SIGTERM did not end it in \(time)")
            process.signal(SIGKILL)
        }
        line.problem = problems.isEmpty ? nil : problems.joined(separator: "; ")
        return line
    }

    /// Waits until the server listens; nil if it does not.
    static func port(of folder: RunFolder) -> Int? {
        for _ in 0..<600 {
            if let found = folder.output.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)"/) {
                return Int(found.1)
            }
            pause(seconds: 0.05)
        }
        return nil
    }

    /// The status of an answer, nil without one.
    static func status(of path: String, _ port: Int) async -> Int? {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { return nil }
        var request = URLRequest(url: url)
        request.timeoutInterval = 60
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        return (try? await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }
}
