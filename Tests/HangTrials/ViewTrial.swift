import AlcedoTestSupport
import Foundation
import Glibc

/// Programs with views of which one call of the system after the other hangs, or all from one on.
///
/// Needs a display and the trait GTK.
struct ViewTrial: Sendable {
    /// Seconds in which a program ends: its start, the other picture, and what a busy machine adds.
    private static let bound = 20.0
    private static let width = 4

    let load: String
    let isLasting: Bool

    static let all = ["download", "disk", "file"].flatMap { load in
        [false, true].map { ViewTrial(load: load, isLasting: $0) }
    }

    func run() async throws -> (cases: Int, problems: Int) {
        var (cases, problems, first) = (0, 0, 1)
        while true {
            let numbers = first..<first + Self.width
            let outputs = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
                for number in numbers { group.addTask { (number, try await attempt(number)) } }
                return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
            }
            for number in numbers {
                let lines = outputs[number] ?? []
                if lines.contains("no call") { return (cases, problems) }
                cases += 1
                problems += lines.contains { $0.contains("WRONG") } ? 1 : 0
                say("view: \(load)\t\(number)\(isLasting ? "…" : "")\t\(lines.joined(separator: "; "))")
            }
            first += Self.width
        }
    }

    /// Returns what the program has printed; it closes its windows in one attempt, and quits in the next.
    private func attempt(_ number: Int) async throws -> [String] {
        let folder = try TemporaryDirectory()
        let output = open(folder.file("output").path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        let environment = ProcessInfo.processInfo.environment
            .merging(["HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
        let words = [
            "view", load, "\(number)\(isLasting ? "" : " 1")", number.isMultiple(of: 2) ? "quit" : "close",
        ]
        let patience = "patience=\(Patience.factor)"
        let process = try ChildProcess(
            [CommandLine.arguments[0]] + words + [patience], environment: environment,
            output: .descriptor(output))
        let ending = Background { try? await process.waitForEnd() }
        let end = await onThread { ending.wait(seconds: Self.bound) ?? nil }
        if end == nil { process.signal(SIGKILL) }
        var lines = try String(contentsOf: folder.file("output"), encoding: .utf8).split(separator: "\n").map(
            String.init)
        if end == nil { lines.append("WRONG: has not ended in \(Self.bound) s") }
        if let end, end.isKilled || end.status != 0 { lines.append("WRONG: ended with \(end.status)") }
        if end != nil, !lines.contains(where: { $0 == "no call" || $0.hasPrefix("hit ") }) {
            lines.append("WRONG: said nothing")
        }
        return lines
    }
}
