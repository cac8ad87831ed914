import Alcedo
import AlcedoTransport
import Foundation

/// Where traces and metrics are sent, by OpenTelemetry's variables.
package struct TraceSettings: Sendable {
    /// The collector's URL, without `/v1/traces`; nil turns tracing off.
    var endpoint: URL?
    var headers: [(name: String, value: String)] = []
    var serviceName = "alcedo"
    var resource: [(name: String, value: String)] = []
    /// The share of traces that start here and are recorded, from 0 to 1.
    var ratio = 1.0
    var metrics = MetricsSettings()
}

/// Whether and where metrics are sent to a collector.
struct MetricsSettings: Sendable {
    enum Exporter: String {
        case otlp, none
    }

    /// Nil if the variables name none.
    var exporter: Exporter?
    /// imgproxy's switch.
    var isEnabled = false
    /// The whole URL; nil for that of the collector with `/v1/metrics`.
    var endpoint: URL?
    var interval = Duration.seconds(60)

    /// Whether an endpoint, which traces have too, gets metrics.
    var isOn: Bool { exporter.map { $0 == .otlp } ?? (isEnabled || endpoint != nil) }
}

/// Sends messages to a collector, as OTLP 1.x in JSON over HTTP.
struct Collector: Sendable {
    private let endpoint: URL
    private let settings: TraceSettings
    private let transport: any Transport

    init(_ endpoint: URL, _ settings: TraceSettings, _ transport: any Transport) {
        (self.endpoint, self.settings, self.transport) = (endpoint, settings, transport)
    }

    /// The URL for the log, without credentials.
    var name: String { endpoint.absoluteString.redactingURLs }

    /// Sends a message; returns why that failed.
    func send(_ message: [String: Any]) async -> String? {
        let body = (try? JSONSerialization.data(withJSONObject: message)) ?? Data()
        return switch await RemoteSource.load(request(body), with: transport) {
        case .success(let response):
            (200..<300).contains(response.status) ? nil : "it responded with \(response.status)"
        case .failure(let error): "\(error)"
        }
    }

    private func request(_ body: Data) -> TransportRequest {
        TransportRequest(url: endpoint) { request in
            request.method = "POST"
            request.headers = [("Content-Type", "application/json")] + settings.headers
            request.body = body
            request.maximumBodyBytes = 64 << 10
            request.maximumRedirects = 0
            let timeout = Duration.seconds(10)
            request.timeouts = TransportTimeouts(
                queue: timeout, connect: timeout, firstByte: timeout, stall: timeout, total: timeout)
        }
    }

    /// What this service is, for the message.
    var resource: [String: Any] {
        let attributes =
            [("service.name", TraceSpan.Value.text(settings.serviceName))]
            + settings.resource.map { ($0.name, .text($0.value)) }
        return ["attributes": Self.attributes(attributes)]
    }

    static func attributes(_ attributes: [(String, TraceSpan.Value)]) -> [[String: Any]] {
        attributes.map { name, value in
            switch value {
            case .text(let text): ["key": name, "value": ["stringValue": text]]
            // JSON has 64-bit integers as text.
            case .number(let number): ["key": name, "value": ["intValue": "\(number)"]]
            }
        }
    }

    static func nanoseconds(_ date: Date) -> String {
        // More digits than those of microseconds are noise in a Double.
        let microseconds = Int((date.timeIntervalSince1970 * 1e6).rounded())
        return "\(microseconds)000"
    }
}
