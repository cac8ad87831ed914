import AlcedoLocks
import Synchronization

/// Knows which sources respond: for readiness, metrics and the log.
package final class SourceWatch: Sendable {
    /// Whether the server can make images.
    package enum Readiness: Sendable, Equatable {
        case ready
        /// Some files of the local root do not respond.
        case degraded
        /// No local file responds or calls that hang have all threads, and the server has no other source.
        case unready
    }

    /// What is true of sources, for Prometheus.
    struct Figures: Sendable {
        var abandonedCalls: [(source: String, count: Int)]
        var lostThreads: Int
        var unresponsiveFolders: Int
    }

    /// Files of the local root, by their path below it.
    let local: FileCalls

    /// Files that settings name.
    let settings: FileCalls

    /// The local root, as URLs name it; no host can have this name.
    static let localName = "local:///"

    private static let settingsName = "settings"

    /// The cache folder.
    static let cacheName = "cache"

    /// What is counted beside hosts.
    private static let fixedNames: Set = [localName, settingsName, cacheName]

    /// Hosts that are counted by name; the metrics would grow with the names in URLs otherwise.
    private static let mostNames = 100

    private let events = Events()
    private let hasRemoteSources = Atomic(false)

    /// - Parameters:
    ///   - width: how many calls for local files may run or hang at a time.
    ///   - pause: the time before files that do not respond are tried again, at first.
    init(width: Int, pause: Duration = .seconds(1)) {
        local = FileCalls(label: "alcedo.server.files", width: width, pause: pause) { [events] event in
            events.take(event, of: Self.localName, prefix: "local://")
        }
        settings = FileCalls(label: "alcedo.server.settings", width: 8, pause: pause) { [events] event in
            events.take(event, of: Self.settingsName, prefix: "")
        }
    }

    /// What is written to the log is passed to `write`, from now on.
    func log(_ write: @escaping @Sendable (_ event: String, _ text: String) -> Void) { events.log(write) }

    /// A call for `source` was given up.
    func abandoned(_ source: String) { events.count(source) }

    /// A source that is not local has responded.
    func remoteResponded() { hasRemoteSources.store(true, ordering: .relaxed) }

    package var readiness: Readiness {
        if local.isSilent, !hasRemoteSources.load(ordering: .relaxed) { return .unready }
        return local.unresponsiveFolders.isEmpty ? .ready : .degraded
    }

    var figures: Figures {
        Figures(
            abandonedCalls: events.counts, lostThreads: local.abandoned + settings.abandoned,
            unresponsiveFolders: local.unresponsiveFolders.count + settings.unresponsiveFolders.count)
    }

    /// Counts and logs what the queues report.
    private final class Events: Sendable {
        private struct State {
            var abandoned: [String: Int] = [:]
            var log: (@Sendable (_ event: String, _ text: String) -> Void)?
        }

        private let state = Lock(State())

        var counts: [(source: String, count: Int)] {
            state.withLock { $0.abandoned.map { (source: $0.key, count: $0.value) } }
        }

        func log(_ write: @escaping @Sendable (_ event: String, _ text: String) -> Void) {
            state.withLock { $0.log = write }
        }

        func count(_ source: String) {
            state.withLock { state in
                let hosts = state.abandoned.keys.count { !SourceWatch.fixedNames.contains($0) }
                let isNamed =
                    SourceWatch.fixedNames.contains(source) || state.abandoned[source] != nil
                    || hosts < SourceWatch.mostNames
                state.abandoned[isNamed ? source : "other", default: 0] += 1
            }
        }

        func take(_ event: FileCalls.Event, of source: String, prefix: String) {
            switch event {
            case .abandoned: count(source)
            case .stopped(let folder):
                write(
                    "warning",
                    "\(prefix)\(folder) does not respond: requests for it fail until a call returns")
            case .resumed(let folder, let time):
                write("warning", "\(prefix)\(folder) responds again, after \(Int(time.seconds)) s")
            case .exhausted(let folders):
                write(
                    "warning",
                    "all threads for files hang, those of \(folders.map { prefix + $0 }.joined(separator: ", ")) "
                        + "the most: requests for other files fail, too, until a call returns")
            }
        }

        private func write(_ event: String, _ text: String) {
            let log = state.withLock { $0.log }
            log?(event, text)
        }
    }
}

extension SourceWatch.Figures {
    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        text.counters(
            "abandoned_calls_total", "Calls that were given up as their source did not respond in time.",
            "source",
            abandonedCalls.map { ($0.source, $0.count) })
        text.gauge("lost_threads", "Calls for files that were given up and have not returned.", lostThreads)
        text.gauge(
            "unresponsive_folders", "Folders that do not respond, without those inside others.",
            unresponsiveFolders)
    }
}
