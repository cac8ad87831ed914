import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Foundation

/// A scenario in which one call of the system after the other hangs, four from one on, or all from it on.
struct CallTrial: Sendable {
    /// What came of one call.
    struct Line: Sendable {
        var call = ""
        var outcome = ""
        var seconds = 0.0

        /// What must not be; nil if all is well.
        var problem: String?
    }

    /// Runs of one wave, each with folders of its own.
    private static let width = 16

    let scenario: Scenario

    /// How many calls hang.
    let count: Int32
    let server: LoopbackServer

    /// Tries all calls that the scenario makes, and prints a line for each; returns how many were wrong.
    func run() async throws -> (cases: Int, problems: Int) {
        var (cases, problems, first) = (0, 0, 1)
        while true {
            let lines = try await wave(from: first)
            for (number, line) in zip(first..., lines) where !line.call.isEmpty {
                cases += 1
                problems += line.problem == nil ? 0 : 1
                let name = "\(line.call) \(number)\(count == 1 ? "" : count == .max ? "…" : "+\(count - 1)")"
                let time = String(format: "%.1f s", line.seconds)
                let problem = line.problem.map { "  WRONG: \($0)" } ?? ""
                say("\(scenario.name)\t\(name)\t\(line.outcome)\t\(time)\(problem)")
            }
            if lines.contains(where: \.call.isEmpty) {
                guard cases == 0 else { return (cases, problems) }
                say("\(scenario.name)\tWRONG: no call has hung")
                return (0, problems + 1)
            }
            first += Self.width
        }
    }

    private func wave(from first: Int) async throws -> [Line] {
        let bystander = Background { [server] () async -> String in
            guard let place = try? Place(server) else { return "no place" }
            return await place.load("picture", [.waitForCache])
        }
        let lines = try await withThrowingTaskGroup(of: (Int, Line).self) { group in
            for number in first..<first + Self.width {
                group.addTask { (number, try await attempt(number)) }
            }
            return try await group.reduce(into: [Int: Line]()) { $0[$1.0] = $1.1 }
        }
        if bystander.wait(seconds: 1) != "image from none" {
            say("\(scenario.name)\tWRONG: another place did not go on: \(bystander.result ?? "nothing")")
        }
        return (first..<first + Self.width).compactMap { lines[$0] }
    }

    private func attempt(_ number: Int) async throws -> Line {
        let place = try Place(server)
        try await scenario.prepare(place)
        let fault = Fault("hang * \(place.folder(scenario.folder)) \(number) \(count)")
        var line = Line()
        let start = ContinuousClock.now
        let work = Background { [scenario] in await scenario.act(place) }
        // Off Swift's pool, which is the work's.
        let ended = await onThread { work.wait(seconds: scenario.bound) }
        line.seconds = (ContinuousClock.now - start) / .seconds(1)
        line.call = fault.hit
        line.outcome = ended ?? "hangs"
        if ended == nil { line.problem = "has not ended in \(scenario.bound) s" }
        fault.remove()
        if ended == nil {
            let late = await onThread { work.wait(seconds: 10) }
            line.problem? += late.map { "; ended once the call did: \($0)" } ?? "; never ended"
        }
        let after = Background { () async -> String in
            _ = try? await place.cache.flush(within: .seconds(10))
            return await place.load("after")
        }
        if scenario.name.contains("shut down") { return line }
        let later = await onThread { after.wait(seconds: 20) }
        if later != "image from none" {
            line.problem = (line.problem.map { "\($0); " } ?? "") + "afterwards: \(later ?? "hangs")"
        }
        return line
    }
}

/// Runs a body that blocks on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    let result = OneShot<Result, Never>()
    Thread { result.finish(.success(body())) }.start()
    return await result.value()
}
