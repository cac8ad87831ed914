import Alcedo
import AlcedoLocks
import AlcedoTransport
import Foundation

/// Where traces are sent, by OpenTelemetry's variables.
package struct TraceSettings: Sendable {
    /// The collector's URL, without `/v1/traces`; nil turns tracing off.
    var endpoint: URL?
    var headers: [(name: String, value: String)] = []
    var serviceName = "alcedo"
    var resource: [(name: String, value: String)] = []
    /// The share of traces that start here and are recorded, from 0 to 1.
    var ratio = 1.0
}

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

    private let settings: TraceSettings
    private let endpoint: URL
    private let transport: any Transport
    private let warn: @Sendable (String) -> Void
    private let state = Lock(State())

    /// Nil if the settings have no endpoint.
    init?(
        _ settings: TraceSettings, transport: any Transport, warn: @escaping @Sendable (String) -> Void
    ) {
        guard let endpoint = settings.endpoint else { return nil }
        (self.settings, self.transport, self.warn) = (settings, transport, warn)
        self.endpoint = endpoint.appending(path: "v1/traces")
    }

    func samplesNext() -> Bool { Double.random(in: 0..<1) < settings.ratio }

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
            let result = await RemoteSource.load(request(with: spans), with: transport)
            let failure: String? =
                switch result {
                case .success(let response):
                    (200..<300).contains(response.status) ? nil : "it responded with \(response.status)"
                case .failure(let error): "\(error)"
                }
            let hadFailed = state.withLock { state in
                defer { state.hasFailed = failure != nil }
                if failure == nil { state.sent += spans.count } else { state.dropped += spans.count }
                return state.hasFailed
            }
            if let failure, !hadFailed { warn("traces can't be sent to \(endpoint): \(failure)") }
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

    private func request(with spans: [TraceSpan]) -> TransportRequest {
        TransportRequest(url: endpoint) { request in
            request.method = "POST"
            request.headers = [("Content-Type", "application/json")] + settings.headers
            request.body = body(with: spans)
            request.maximumBodyBytes = 64 << 10
            request.maximumRedirects = 0
            let timeout = Duration.seconds(10)
            request.timeouts = TransportTimeouts(
                queue: timeout, connect: timeout, firstByte: timeout, stall: timeout, total: timeout)
        }
    }

    /// An `ExportTraceServiceRequest` (OTLP 1.x, JSON).
    private func body(with spans: [TraceSpan]) -> Data {
        let resource =
            [("service.name", TraceSpan.Value.text(settings.serviceName))]
            + settings.resource.map { ($0.name, .text($0.value)) }
        let message: [String: Any] = [
            "resourceSpans": [
                [
                    "resource": ["attributes": Self.attributes(resource)],
                    "scopeSpans": [["scope": ["name": "alcedo"], "spans": spans.map(Self.message)]],
                ]
            ]
        ]
        return (try? JSONSerialization.data(withJSONObject: message)) ?? Data()
    }

    private static func message(_ span: TraceSpan) -> [String: Any] {
        var message: [String: Any] = [
            "traceId": span.context.trace, "spanId": span.context.span, "name": span.name,
            "kind": span.kind.rawValue, "startTimeUnixNano": nanoseconds(span.start),
            "endTimeUnixNano": nanoseconds(span.end), "attributes": attributes(span.attributes),
            "status": span.isError ? ["code": 2] : [String: Int](),
        ]
        if let parent = span.parent { message["parentSpanId"] = parent }
        return message
    }

    private static func attributes(_ attributes: [(String, TraceSpan.Value)]) -> [[String: Any]] {
        attributes.map { name, value in
            switch value {
            case .text(let text): ["key": name, "value": ["stringValue": text]]
            // JSON has 64-bit integers as text.
            case .number(let number): ["key": name, "value": ["intValue": "\(number)"]]
            }
        }
    }

    private static func nanoseconds(_ date: Date) -> String {
        // More digits than those of microseconds are noise in a Double.
        let microseconds = Int((date.timeIntervalSince1970 * 1e6).rounded())
        return "\(microseconds)000"
    }
}
