import Alcedo
import AlcedoHTTPServer
import AlcedoLocks

/// Counts what a server does, for Prometheus.
final class ServerMetrics: Sendable {
    /// The present values of what is not counted here.
    struct Gauges: Sendable {
        let workers: Int
        let imagesInProgress: Int
        let queueDepth: Int
        let connections: Int
        let lostLogLines: Int

        /// Nil without a shared cache.
        let shared: SharedTier.Figures?

        /// Nil without a bucket of results.
        var bucket: ResultBucket.Counts?
        let sources: SourceWatch.Figures

        var memoryCacheBytes = 0

        /// Nil without a disk cache.
        var disk: DiskWrites?

        /// Nil without tracing.
        var traces: TraceExporter?
        var excesses: [(kind: Quotas.Kind, count: Int)] = []
        var workerFailures: [DecodeSandbox.Failures] = []
        var process: ProcessMetrics?
    }

    private struct State {
        var requests = 0
        var inProgress = 0
        var bytesInFlight = 0
        var bytesSent = 0
        var statuses: [Int: Int] = [:]
        var errors: [ErrorKind: Int] = [:]
        var sourceErrors: [String: [ErrorKind: Int]] = [:]
        var hits: [ServerResponse.Tier: Int] = [:]
        var duration = Histogram()
        var spans: [String: Histogram] = [:]

        /// A deep copy, as shared storage must not leave the lock (decision 0009).
        var copy: State {
            var copy = self
            copy.statuses = statuses.mapValues(\.self)
            copy.errors = errors.mapValues(\.self)
            copy.sourceErrors = sourceErrors.mapValues { $0.mapValues(\.self) }
            copy.hits = hits.mapValues(\.self)
            copy.duration = duration.copy
            copy.spans = spans.mapValues(\.copy)
            return copy
        }
    }

    /// Sources whose errors are counted by name; the metrics would grow with the names in URLs otherwise.
    static let mostSources = 100

    private let state = Lock(State())

    /// A request has come.
    func start() {
        state.withLock { state in
            state.requests += 1
            state.inProgress += 1
        }
    }

    /// A request has its response, which is on its way from now on.
    func respond(_ response: ServerResponse, bytes: Int, after duration: Duration) {
        state.withLock { state in
            state.statuses[response.http.status, default: 0] += 1
            if let kind = response.errorKind {
                state.errors[kind, default: 0] += 1
                if let source = response.source {
                    let isNamed =
                        state.sourceErrors[source] != nil || state.sourceErrors.count < Self.mostSources
                    state.sourceErrors[isNamed ? source : "other", default: [:]][kind, default: 0] += 1
                }
            }
            if response.tier != .none { state.hits[response.tier, default: 0] += 1 }
            state.duration.add(duration)
            for (span, duration) in response.spans {
                state.spans[span.rawValue, default: Histogram()].add(duration)
            }
            state.bytesInFlight += bytes
        }
    }

    /// A response has been sent, or can't be.
    func end(bytes: Int, isSent: Bool, after duration: Duration) {
        state.withLock { state in
            state.inProgress -= 1
            state.bytesInFlight -= bytes
            if isSent { state.bytesSent += bytes } else { state.errors[.streaming, default: 0] += 1 }
            state.spans["streaming_image", default: Histogram()].add(duration)
        }
    }

    /// The metrics in Prometheus' text format.
    func text(namespace: String, gauges: Gauges) -> String { all(namespace: namespace, gauges: gauges).text }

    /// All metrics.
    func all(namespace: String, gauges: Gauges) -> MetricsText {
        var text = MetricsText(namespace: namespace)
        let state = state.withLock { $0.copy }
        text.counter("requests_total", "Requests.", state.requests)
        text.counters(
            "status_codes_total", "Responses by status.", "status", state.statuses.map { ("\($0)", $1) })
        text.counters(
            "errors_total", "Errors by kind.", "type",
            ErrorKind.allCases.map { ($0.rawValue, state.errors[$0] ?? 0) })
        text.counters(
            "source_errors_total", "Errors of requests for images by their source and kind.",
            ["source", "type"],
            state.sourceErrors.flatMap { source, errors in
                errors.map { ([source, $0.key.rawValue], $0.value) }
            })
        text.counters(
            "cache_results_total", "Images by where they came from; source is a miss.", "tier",
            ServerResponse.Tier.allCases.filter { $0 != .none }.map { ($0.rawValue, state.hits[$0] ?? 0) })
        text.counter("response_bytes_total", "Bytes of bodies sent.", state.bytesSent)
        text.counter(
            "log_lines_lost_total", "Log lines lost as standard output was full.", gauges.lostLogLines)
        text.histograms(
            "request_duration_seconds", "Time from a request to its response.", nil, [("", state.duration)])
        text.histograms(
            "request_span_duration_seconds", "Time of parts of the work.", "span",
            state.spans.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        text.gauge("workers", "Images that may be processed at a time.", gauges.workers)
        text.gauge("requests_in_progress", "Requests in progress.", state.inProgress)
        text.gauge("images_in_progress", "Images that are processed.", gauges.imagesInProgress)
        text.gauge(
            "workers_utilization", "Share of workers in use, in percent.",
            gauges.workers > 0 ? 100 * gauges.imagesInProgress / gauges.workers : 0)
        text.gauge("queue_depth", "Images that wait.", gauges.queueDepth)
        text.gauge("response_bytes_in_flight", "Bytes of bodies on their way.", state.bytesInFlight)
        text.gauge("connections", "Open connections.", gauges.connections)
        gauges.sources.write(to: &text)
        text.counters(
            "limited_requests_total", "Requests rejected because a key, source or client made too many.",
            "limit", gauges.excesses.map { ($0.kind.rawValue, $0.count) })
        text.gauge("memory_cache_bytes", "Bytes of results in memory.", gauges.memoryCacheBytes)
        gauges.disk?.write(to: &text)
        gauges.traces?.write(to: &text)
        text.counters(
            "worker_failures_total",
            "Worker processes that ended, and images that none has decoded, by reason.",
            ["helper", "reason"], gauges.workerFailures.map { ([$0.helper, $0.reason], $0.count) })
        gauges.shared?.write(to: &text)
        gauges.bucket?.write(to: &text)
        gauges.process?.write(to: &text)
        return text
    }
}
