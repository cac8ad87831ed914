import AlcedoLocks
import AlcedoTransport
import Foundation

/// Sends the metrics to a collector from time to time, one message after the other.
///
/// A message has all values since the start, so that one that fails is made up for by the next.
final class MetricsExporter: Sendable {
    private let collector: Collector
    private let interval: Duration
    private let start: Date
    private let now: @Sendable () -> Date
    private let warn: @Sendable (String) -> Void
    private let hasFailed = Lock(false)

    /// Nil if the settings turn it off, or have no endpoint.
    init?(
        _ settings: TraceSettings, transport: any Transport, now: @escaping @Sendable () -> Date = { Date() },
        warn: @escaping @Sendable (String) -> Void
    ) {
        let endpoint = settings.metrics.endpoint ?? settings.endpoint?.appending(path: "v1/metrics")
        guard settings.metrics.isOn, let endpoint else { return nil }
        collector = Collector(endpoint, settings, transport)
        interval = settings.metrics.interval
        (self.now, self.warn) = (now, warn)
        start = now()
    }

    /// Sends the present values after each interval, until the task is cancelled.
    func run(_ metrics: @Sendable () -> MetricsText) async {
        while (try? await cancellableSleep(for: interval)) != nil { await export(metrics()) }
    }

    /// Sends values.
    func export(_ metrics: MetricsText) async {
        let failure = await collector.send(message(metrics))
        guard !Task.isCancelled else { return }
        let hadFailed = hasFailed.withLock { hasFailed in
            defer { hasFailed = failure != nil }
            return hasFailed
        }
        if let failure, !hadFailed {
            warn("metrics can't be sent to \(collector.name): \(failure)")
        }
    }

    /// An `ExportMetricsServiceRequest`.
    private func message(_ metrics: MetricsText) -> [String: Any] {
        let times = [
            "startTimeUnixNano": Collector.nanoseconds(start), "timeUnixNano": Collector.nanoseconds(now()),
        ]
        let all = metrics.families.filter { !$0.points.isEmpty }.map { $0.message(times) }
        return [
            "resourceMetrics": [
                [
                    "resource": collector.resource,
                    "scopeMetrics": [["scope": ["name": "alcedo"], "metrics": all]],
                ]
            ]
        ]
    }
}

extension MetricsText.Family {
    /// OTLP's number of values since the start.
    private static let cumulative = 2

    fileprivate func message(_ times: [String: String]) -> [String: Any] {
        let points: [[String: Any]] = points.map { $0.message.merging(times) { own, _ in own } }
        let data: [String: Any] =
            switch kind {
            case .counter:
                ["dataPoints": points, "aggregationTemporality": Self.cumulative, "isMonotonic": true]
            case .gauge: ["dataPoints": points]
            case .histogram: ["dataPoints": points, "aggregationTemporality": Self.cumulative]
            }
        let form =
            switch kind {
            case .counter: "sum"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        return ["name": name, "description": help, form: data]
    }
}

extension MetricsText.Point {
    /// JSON has 64-bit integers as text.
    fileprivate var message: [String: Any] {
        var message: [String: Any] = [
            "attributes": Collector.attributes(labels.map { ($0.name, .text($0.value)) })
        ]
        switch value {
        case .whole(let value): message["asInt"] = "\(value)"
        case .decimal(let value): message["asDouble"] = value
        case .histogram(let histogram):
            message["count"] = "\(histogram.total)"
            message["sum"] = histogram.sum
            message["explicitBounds"] = Histogram.bounds
            let beyond = histogram.total - histogram.counts.reduce(0, +)
            message["bucketCounts"] = (histogram.counts + [beyond]).map { "\($0)" }
        }
        return message
    }
}
