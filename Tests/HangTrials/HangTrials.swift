import AlcedoTestSupport
import CFaults
import Foundation
import Glibc

/// Loads, stores, requests and commands of which calls of the system hang, fail or take their time.
///
/// `faults` checks the faults themselves. `calls [SCENARIO]` hangs each call in turn that a scenario makes, four from it on, and all.
/// `loads [SEED [SECONDS]]` hangs calls of random loads at random moments. With the shared library of the faults, `programs LIBRARY
/// [NAME]`, `starts LIBRARY [NAME]` and `server LIBRARY [NAME]` do so to `alcedo`. `views [LOAD]` needs a display. `syscalls` lists
/// the calls of the system that strace sees, and which of them the others hang. `all LIBRARY` does everything, in about four minutes
/// of two cores. A line has the scenario, the call with its number (`+3`: and three after it; `…`: and all), the
/// outcome and the time, and `WRONG` where something has not ended in its time, or what does not hang did not go on.
@main
enum HangTrials {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst()).filter { !$0.hasPrefix("patience=") }
        #if GTK
            // A program of GTK's has the main thread for itself.
            if words.count == 4, words[0] == "view", let load = ViewProgram.Load(rawValue: words[1]) {
                MainActor.assumeIsolated {
                    do {
                        exit(try ViewProgram(load, calls: words[2], quits: words[3] == "quit").run())
                    } catch { fail(error) }
                }
            }
        #endif
        if words.count == 2, words[0] == "get" { exit(LibraryProgram.load(words[1])) }
        Task {
            do { try await run(words) } catch { fail(error) }
            exit(0)
        }
        alcedo_faults_main()
    }

    private static func fail(_ error: any Error) -> Never {
        say("WRONG: \(error)")
        exit(1)
    }

    private static func run(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("faults", 1): try FaultChecks().run()
        case ("calls", 1...2): try await calls(of: words.dropFirst().first)
        case ("programs", 2...3):
            try await programs(ProgramScenario.all, library: words[1], words.dropFirst(2).first)
        case ("starts", 2...3):
            try await programs(ProgramScenario.starts, library: words[1], words.dropFirst(2).first)
        case ("server", 2...3): try await server(library: words[1], words.dropFirst(2).first)
        case ("loads", 1...3):
            let numbers = words.dropFirst().compactMap { UInt64($0) }
            let seed = numbers.first ?? UInt64.random(in: 0..<1 << 32)
            let seconds = numbers.dropFirst().first.map { Double($0) } ?? 40
            try await onThread { Result { try RandomTrial(seed: seed, seconds: seconds).run() } }.get()
        case ("syscalls", 1):
            try await withFaults { server, _ in try await SystemCallTrial(server: server).run() }
        case ("views", 1...2): try await views(words.dropFirst().first)
        case ("all", 2): try await all(library: words[1])
        // Another process of these checks.
        case ("open", 2): exit(try FaultChecks().opens(words[1]))
        default:
            say(
                "usage: HangTrials faults | calls | loads | programs | starts | server | views | syscalls | all"
            )
        }
    }

    /// Runs all others at once, as most of their time is waiting, and prints their lines one after the other.
    private static func all(library: String) async throws {
        let seed = "\(UInt64.random(in: 0..<1 << 32))"
        // A process for each scenario: Dispatch has 255 threads, and those that hang are lost to it.
        let parts =
            Scenario.all.map { ["calls", $0.name] } + [
                ["faults"], ["loads", seed], ["programs", library], ["starts", library],
                ["server", library], ["views"], ["syscalls"],
            ]
        let folder = try TemporaryDirectory()
        let processes = try parts.enumerated().map { number, part in
            let output = open(folder.file("\(number)").path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(output) }
            return try ChildProcess([CommandLine.arguments[0]] + part, output: .descriptor(output))
        }
        var hasFailed = false
        for (number, (part, process)) in zip(parts, processes).enumerated() {
            let end = try await process.waitForEnd()
            let text = try String(contentsOf: folder.file("\(number)"), encoding: .utf8)
            say("\n\(part[0])\n\(text)")
            hasFailed = hasFailed || end.status != 0 || text.contains("WRONG")
        }
        exit(hasFailed ? 1 : 0)
    }

    private static func calls(of name: String?) async throws {
        let server = try LoopbackServer()
        let exact = Scenario.all.filter { $0.name == name }
        let named = Scenario.all.filter { scenario in name.map { scenario.name.contains($0) } ?? true }
        let sum = try await sum(
            (exact.isEmpty ? named : exact)
                .flatMap { scenario in
                    [1, 4, .max].map { CallTrial(scenario: scenario, count: $0, server: server) }
                }
        ) { try await $0.run() }
        say("cases=\(sum.cases) problems=\(sum.problems)")
    }

    private static func views(_ load: String?) async throws {
        #if GTK
            var sum = (cases: 0, problems: 0)
            for trial in ViewTrial.all where load.map({ $0 == trial.load }) ?? true {
                let next = try await trial.run()
                sum = (sum.cases + next.cases, sum.problems + next.problems)
            }
            say("cases=\(sum.cases) problems=\(sum.problems)")
        #else
            say("there are no views without the trait GTK")
        #endif
    }

    private static func programs(
        _ scenarios: [ProgramScenario], library: String, _ name: String?
    ) async throws {
        try await withFaults { server, table in
            let trials = scenarios.filter { scenario in name.map { scenario.name.contains($0) } ?? true }.map
            {
                ProgramTrial(scenario: $0, server: server, library: library, table: table)
            }
            return try await sum(trials) { try await $0.run() }
        }
    }

    private static func server(library: String, _ name: String?) async throws {
        try await withFaults { server, table in
            let trials = ServerTrial.Hang.all.filter { hang in name.map { hang.name.contains($0) } ?? true }
                .flatMap { hang in
                    [false, true].map { isLasting in
                        var hang = hang
                        hang.isLasting = isLasting
                        return ServerTrial(hang: hang, server: server, library: library, table: table)
                    }
                }
            return try await sum(trials) { try await $0.run() }
        }
    }

    /// Runs trials at once; returns the sum of their figures.
    private static func sum<Trial: Sendable>(
        _ trials: [Trial], _ run: @escaping @Sendable (Trial) async throws -> (cases: Int, problems: Int)
    ) async throws -> (cases: Int, problems: Int) {
        try await withThrowingTaskGroup(of: (cases: Int, problems: Int).self) { group in
            for trial in trials { group.addTask { try await run(trial) } }
            return try await group.reduce(into: (cases: 0, problems: 0)) {
                $0 = ($0.cases + $1.cases, $0.problems + $1.problems)
            }
        }
    }

    /// Runs trials of programs, which share this process's faults.
    private static func withFaults(
        _ body: (LoopbackServer, String) async throws -> (cases: Int, problems: Int)
    ) async throws {
        let server = try LoopbackServer()
        server.serve("/picture", Reply(body: try Fixture.data("made/odd-7x9.jpg")))
        let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#
        server.serve("/drawing", Reply(body: Array(drawing.utf8)))
        let folder = try TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let table = folder.file("faults").path
        guard alcedo_faults_share(table) == 0 else { return say("no table of faults") }
        let sum = try await body(server, table)
        say("cases=\(sum.cases) problems=\(sum.problems)")
    }
}
