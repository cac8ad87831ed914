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
        var unresponsiveOrigins: Int
    }

    /// Files of the local root, by their path below it.
    let local: FileCalls

    /// Files that settings name.
    let settings: FileCalls

    private static let settingsName = "settings"

    static let cacheName = "cache"

    /// What is counted beside hosts.
    private static let fixedNames: Set = [ImageSource.localOrigin, settingsName, cacheName]

    /// Hosts that are counted by name; the metrics would grow with the names in URLs otherwise.
    private static let mostNames = 100

    private let events = Events()
    private let hasRemoteSources = Atomic(false)
    private let origins: Lock<OriginHealth>

    /// - Parameters:
    ///   - width: how many calls for local files may run or hang at a time.
    ///   - pause: the time before what does not respond is tried again, at first.
    init(width: Int, pause: Duration = .seconds(1)) {
        origins = Lock(OriginHealth(pause: pause))
        local = FileCalls(label: "alcedo.server.files", width: width, pause: pause) { [events] event in
            events.take(event, of: ImageSource.localOrigin, prefix: "local://")
        }
        settings = FileCalls(label: "alcedo.server.settings", width: 8, pause: pause) { [events] event in
            events.take(event, of: Self.settingsName, prefix: "")
        }
    }

    /// What is written to the log is passed to `write`, from now on.
    func log(_ write: @escaping @Sendable (_ event: String, _ text: String) -> Void) { events.log(write) }

    /// Writes a warning to the log.
    func warn(_ text: String) { events.warn(text) }

    /// A call for `source` was given up.
    func abandoned(_ source: String) { events.count(source) }

    /// Since when downloads from a host are rejected; nil if they are not.
    func rejection(of origin: String) -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        return origins.withLock { $0.rejection(of: origin, at: now) }
    }

    /// Whether a download may start; if so, it must end with ``downloadEnded(_:_:_:_:since:)``.
    func admitDownload(from origin: String) -> OriginHealth.Admission {
        let now = ContinuousClock.now
        return origins.withLock { $0.admit(origin, at: now) }
    }

    /// Notes how a download has ended.
    func downloadEnded(
        _ origin: String, _ url: String, _ admission: OriginHealth.Admission, _ end: OriginHealth.End,
        since start: ContinuousClock.Instant
    ) {
        let now = ContinuousClock.now
        switch origins.withLock({ $0.end(origin, url, admission, end, since: start, at: now) }) {
        case .stopped?: events.warn("\(origin) does not respond: requests for it fail until a trial succeeds")
        case .resumed(let since)?:
            events.warn("\(origin) responds again, after \(Int((now - since).seconds)) s")
        case nil: break
        }
    }

    /// A source that is not local has responded.
    func remoteResponded() { hasRemoteSources.store(true, ordering: .relaxed) }

    package var readiness: Readiness {
        if local.isSilent, !hasRemoteSources.load(ordering: .relaxed) { return .unready }
        return local.unresponsiveFolders.isEmpty ? .ready : .degraded
    }

    var figures: Figures {
        Figures(
            abandonedCalls: events.counts, lostThreads: local.abandoned + settings.abandoned,
            unresponsiveFolders: local.unresponsiveFolders.count + settings.unresponsiveFolders.count,
            unresponsiveOrigins: origins.withLock { $0.unresponsive })
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

        func warn(_ text: String) { write("warning", text) }

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
        text.gauge("unresponsive_origins", "Hosts that do not respond.", unresponsiveOrigins)
    }
}
