import AlcedoLocks
import AlcedoTransport
import Foundation

/// Sends spans to a collector, as OTLP in JSON over HTTP, some at a time; never waits for it.
final class TraceExporter: Sendable {
    /// Spans of one request to the collector.
    static let batch = 512
    /// Spans that wait; further ones are dropped.
    static let bound = 4096
    private static let pause = Duration.seconds(5)

    private struct State {
        var waiting: [TraceSpan] = []
        var sent = 0
        var dropped = 0
        var hasFailed = false
    }

    private let ratio: Double
    private let collector: Collector
    private let warn: @Sendable (String) -> Void
    private let state = Lock(State())

    /// Nil if the settings have no endpoint.
    init?(
        _ settings: TraceSettings, transport: any Transport, warn: @escaping @Sendable (String) -> Void
    ) {
        guard let endpoint = settings.endpoint else { return nil }
        (ratio, self.warn) = (settings.ratio, warn)
        collector = Collector(endpoint.appending(path: "v1/traces"), settings, transport)
    }

    func samplesNext() -> Bool { Double.random(in: 0..<1) < ratio }

    /// Sends a span later, or drops it.
    func add(_ span: TraceSpan) {
        state.withLock { state in
            if state.waiting.count < Self.bound { state.waiting.append(span) } else { state.dropped += 1 }
        }
    }

    /// Sends what has ended every five seconds, until the task is cancelled.
    func run() async {
        while (try? await cancellableSleep(for: Self.pause)) != nil { await flush() }
    }

    /// Sends what has ended.
    func flush() async {
        while !Task.isCancelled, case let spans = takeBatch(), !spans.isEmpty {
            let failure = await collector.send(message(with: spans))
            let hadFailed = state.withLock { state in
                defer { state.hasFailed = failure != nil }
                if failure == nil { state.sent += spans.count } else { state.dropped += spans.count }
                return state.hasFailed
            }
            if let failure, !hadFailed { warn("traces can't be sent to \(collector.name): \(failure)") }
        }
    }

    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        let (sent, dropped) = state.withLock { ($0.sent, $0.dropped) }
        text.counters(
            "trace_spans_total", "Spans by what came of them.", "result",
            [("sent", sent), ("dropped", dropped)])
    }

    private func takeBatch() -> [TraceSpan] {
        state.withLock { state in
            let batch = state.waiting.prefix(Self.batch).map { $0 }
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// An `ExportTraceServiceRequest`.
    private func message(with spans: [TraceSpan]) -> [String: Any] {
        [
            "resourceSpans": [
                [
                    "resource": collector.resource,
                    "scopeSpans": [["scope": ["name": "alcedo"], "spans": spans.map(Self.message)]],
                ]
            ]
        ]
    }

    private static func message(_ span: TraceSpan) -> [String: Any] {
        var message: [String: Any] = [
            "traceId": span.context.trace, "spanId": span.context.span, "name": span.name,
            "kind": span.kind.rawValue, "startTimeUnixNano": Collector.nanoseconds(span.start),
            "endTimeUnixNano": Collector.nanoseconds(span.end),
            "attributes": Collector.attributes(span.attributes),
            "status": span.isError ? ["code": 2] : [String: Int](),
        ]
        if let parent = span.parent { message["parentSpanId"] = parent }
        return message
    }
}
