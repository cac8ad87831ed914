import AlcedoTestSupport
import Foundation
import Glibc

/// Records with strace what commands, served requests and a shutdown ask the kernel for: no call may be missing in ``SystemCalls``.
struct SystemCallTrial: Sendable {
    private static let strace = "/usr/bin/strace"

    let server: LoopbackServer

    /// Prints the calls, those that a trial hangs with their names; returns how many were unknown.
    func run() async throws -> (cases: Int, problems: Int) {
        guard access(Self.strace, X_OK) == 0 else {
            say("strace is not installed: no call was recorded")
            return (0, 0)
        }
        var calls: [String: Int] = [:]
        for commands in [
            [["get", "http:/picture", "-o", "…/out/a.png"], ["get", "http:/picture", "-o", "…/out/b.jpg"]],
            [["get", "…/files/picture.jpg", "-o", "…/out/a.png"]],
            [["get", "http:/drawing", "-o", "…/out/a.png"]],
            [["prefetch", "…/files/list"], ["cache", "stats"], ["cache", "clean"], ["cache", "clear"]],
        ] {
            let folder = try RunFolder(server)
            for command in commands {
                calls.merge(try await self.calls(of: command, in: folder), uniquingKeysWith: +)
            }
        }
        calls.merge(try await callsOfServer(), uniquingKeysWith: +)
        var problems = 0
        for (name, count) in calls.sorted(by: { $0.key < $1.key }) {
            let isKnown = SystemCalls.isKnown(name)
            problems += isKnown ? 0 : 1
            let hung = SystemCalls.hung[name].map { "hung as \($0)" } ?? "can't hang"
            say(
                "\(name)\t\(count)\t\(isKnown ? hung : "WRONG: neither hung by a trial nor known not to wait")"
            )
        }
        return (calls.count, problems)
    }

    private func calls(of command: [String], in folder: RunFolder) async throws -> [String: Int] {
        let process = try folder.start(command, under: tracer(folder), library: "", table: "")
        let end = try await process.waitForEnd()
        if end.isKilled || end.status != 0 { say("WRONG: \(command): \(end.status) \(folder.errors ?? "")") }
        return await recorded(folder, process)
    }

    private func callsOfServer() async throws -> [String: Int] {
        let folder = try RunFolder(server)
        let process = try folder.start(
            ["serve", "--bind", "127.0.0.1:0"], under: tracer(folder), library: "", table: "",
            variables: ServerTrial.variables)
        guard let port = await onThread({ ServerTrial.port(of: folder) }) else {
            process.signal(SIGKILL)
            say("WRONG: the server does not listen under strace")
            return [:]
        }
        for path in [
            "local:///picture.jpg@png", "\(server.address("/picture"))@webp",
            "\(server.address("/drawing"))@png",
        ] {
            let status = await ServerTrial.status(of: "/unsafe/w:5/plain/\(path)", port)
            if status != 200 { say("WRONG: \(path): \(status ?? 0)") }
        }
        process.signal(SIGTERM)
        try await process.waitForEnd()
        return await recorded(folder, process)
    }

    /// Strace as a process of its own, so that the program is this one's child.
    private func tracer(_ folder: RunFolder) -> [String] {
        [Self.strace, "-D", "-f", "-q", "-o", folder.text("…/calls")]
    }

    /// The calls and how often each was made, once strace has written the program's end.
    private func recorded(_ folder: RunFolder, _ process: ChildProcess) async -> [String: Int] {
        let file = folder.text("…/calls")
        var text = ""
        for _ in 0..<600 {
            text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if text.contains("\n\(process.id) +++ ") { break }
            await onThread { pause(seconds: 0.05) }
        }
        try? FileManager.default.removeItem(atPath: file)
        var calls: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            guard let name = line.firstMatch(of: /^[0-9]+ +([a-z_0-9]+)\(/)?.1 else { continue }
            calls[String(name), default: 0] += 1
        }
        return calls
    }
}
