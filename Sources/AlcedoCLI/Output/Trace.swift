import Alcedo
import AlcedoConsole
import AlcedoLocks
import Foundation

/// `--trace`: records the stages of one load.
final class Trace: ImageLoadObserver {
    static let option = Arguments.Option.flag("trace")

    static let details = """
          --trace            print the stages of each load, with their times, on standard error; with --json
                             as trace in the image's object
        """

    private struct State {
        var events: [ImageLoadEvent] = []
        var waiter: CheckedContinuation<Void, Never>?

        var hasEnded: Bool { events.last?.stage.isEnd ?? true }
    }

    private let state = Lock(State())

    func imageLoad(didReach event: ImageLoadEvent) {
        let waiter = state.withLock { state in
            state.events.append(event)
            return state.hasEnded ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// The stages, once the load has ended; none if it has not started.
    func stages() async -> [TracedStage] {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiter = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
        let events = state.withLock { $0.events }
        return events.indices.map { index in
            let next = index + 1 < events.count ? events[index + 1] : nil
            return TracedStage(events[index], since: events[0], until: next)
        }
    }
}

/// One row of a trace; times are in seconds.
struct TracedStage: Sendable {
    let event: ImageLoadEvent
    let start: Double

    /// Nil for the end of the load.
    let duration: Double?

    init(_ event: ImageLoadEvent, since first: ImageLoadEvent, until next: ImageLoadEvent?) {
        self.event = event
        start = (event.time - first.time) / .seconds(1)
        duration = next.map { ($0.time - event.time) / .seconds(1) }
    }

    private var tier: String? { event.stage.tier.map { "\($0)" } }

    fileprivate var row: [String] {
        [
            event.stage.name, milliseconds(start), duration.map(milliseconds) ?? "",
            event.stage.bytes.map(byteText) ?? "", tier ?? "",
        ]
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["stage": event.stage.name, "start": microseconds(start)]
        object["duration"] = duration.map(microseconds)
        object["bytes"] = event.stage.bytes
        object["tier"] = tier
        object["error"] = event.stage.error?.description
        return object
    }
}

extension [TracedStage] {
    /// The stages as a table below the image's name.
    func table(of word: String) -> String {
        var table = Table(["stage", "start", "duration", "bytes", "tier"])
        for stage in self { table.add(stage.row) }
        return printable(shown(word)) + "\n" + table.text
    }

    /// The stages as `trace` in JSON.
    var json: [[String: Any]] { map(\.json) }
}

private func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1000) }

/// Seconds without digits that mean nothing.
private func microseconds(_ seconds: Double) -> Double { (seconds * 1_000_000).rounded() / 1_000_000 }
