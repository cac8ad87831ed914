import AlcedoTransport
import Foundation

extension Setting {
    static let operation: [Setting] = [
        Setting("PROMETHEUS_BIND", "", "where to listen for Prometheus, such as 127.0.0.1:9090") {
            $0.metricsListen = try listenAddress($1)
        },
        Setting("PROMETHEUS_NAMESPACE", "", "the prefix of metric names") {
            let isName = $1.utf8.enumerated().allSatisfy { index, byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII
                    && (character.isLetter || character == "_" || index > 0 && character.isNumber)
            }
            guard isName else { throw Rejected("letters, digits and _") }
            $0.metricsNamespace = $1
        },
        Setting("LOG_FORMAT", "json", "the format of the log: json, logfmt or pretty") {
            // imgproxy's name for it.
            guard let format = $1 == "structured" ? .logfmt : LogFormat(rawValue: $1) else {
                throw Rejected("json, logfmt or pretty")
            }
            $0.logFormat = format
        },
        Setting(
            "LOG_LEVEL", "info",
            "the least severe level that is logged: info, warn (status 400 and above) or error (500 and above)"
        ) {
            guard let level = LogLevel(rawValue: $1) else { throw Rejected("info, warn or error") }
            $0.logLevel = level
        },
        Setting(
            "TRUSTED_PROXIES", "",
            "addresses or networks of proxies whose X-Forwarded-For names the client, separated by commas; "
                + "unix for those of a Unix socket",
            isOwn: true
        ) {
            for text in try list($1) {
                if text == "unix" {
                    $0.trustedProxies.includesUnixSocket = true
                } else if let block = AddressBlock(text) {
                    $0.trustedProxies.blocks.append(block.unmapped)
                } else {
                    throw Rejected("addresses and networks such as 10.0.0.0/8 or ::1, or unix")
                }
            }
        },
    ]

    /// Those of OpenTelemetry, with its names.
    static let tracing: [Setting] = [
        Setting(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "",
            "where traces and metrics are sent, by OTLP over HTTP, such as http://127.0.0.1:4318",
            isCommon: true
        ) {
            $0.traces.endpoint = try webURL($1)
        },
        Setting(
            "OTEL_EXPORTER_OTLP_HEADERS", "", "headers of OTLP requests: NAME=value,…", isSecret: true,
            isCommon: true
        ) {
            $0.traces.headers = try pairs($1)
        },
        Setting("OTEL_SERVICE_NAME", "alcedo", "the service name in traces and metrics", isCommon: true) {
            $0.traces.serviceName = $1
        },
        Setting("OTEL_RESOURCE_ATTRIBUTES", "", "further resource attributes: NAME=value,…", isCommon: true) {
            $0.traces.resource = try pairs($1)
        },
        Setting(
            "OTEL_TRACES_SAMPLER_ARG", "1",
            "the share of traces that are recorded, from 0 to 1, unless the client's traceparent decides",
            isCommon: true
        ) {
            $0.traces.ratio = try decimal($1, 0...1)
        },
        Setting(
            "OTEL_METRICS_EXPORTER", "", "otlp exports metrics to the same endpoint, none exports none",
            isCommon: true
        ) {
            guard let exporter = MetricsSettings.Exporter(rawValue: $1) else {
                throw Rejected("otlp or none")
            }
            $0.traces.metrics.exporter = exporter
        },
        Setting(
            "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "",
            "another URL for metrics, such as http://127.0.0.1:9090/api/v1/otlp/v1/metrics",
            isCommon: true
        ) {
            $0.traces.metrics.endpoint = try webURL($1)
        },
        Setting(
            "OTEL_METRIC_EXPORT_INTERVAL", "60000", "milliseconds between two exports of metrics",
            isCommon: true
        ) {
            $0.traces.metrics.interval = .milliseconds(try whole($1, 1...86_400_000))
        },
        Setting("OPEN_TELEMETRY_ENABLE_METRICS", "false", "the same as OTEL_METRICS_EXPORTER=otlp") {
            $0.traces.metrics.isEnabled = try truth($1)
        },
    ]

    /// `NAME=value,…`, values percent-encoded.
    private static func pairs(_ text: String) throws(Rejected) -> [(name: String, value: String)] {
        try list(text).map { pair throws(Rejected) in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty, let value = sides[1].removingPercentEncoding,
                !(sides[0] + value).contains(where: \.isNewline)
            else { throw Rejected("NAME=value,…") }
            return (name: String(sides[0]), value: value)
        }
    }

    /// How much of the server one party may use.
    static let quotas: [Setting] = [
        limit("KEY_LIMIT", .key, "requests that one signing key may have at a time; 0 for no limit"),
        rate("KEY_RATE", .key, "requests a second that one signing key may start; 0 for no limit"),
        limit(
            "SOURCE_LIMIT", .source,
            "requests that one source host or bucket may have at a time; 0 for no limit"),
        rate(
            "SOURCE_RATE", .source,
            "requests a second that one source host or bucket may start; 0 for no limit"),
        limit("CLIENT_LIMIT", .client, "requests that one client may have at a time; 0 for no limit"),
        rate("CLIENT_RATE", .client, "requests a second that one client may start; 0 for no limit"),
    ]

    private static func limit(_ name: String, _ kind: Quotas.Kind, _ summary: String) -> Setting {
        Setting(name, "0", summary, isOwn: true) {
            $0.quotas[kind, default: QuotaLimit()].running = try whole($1, 0...1_000_000)
        }
    }

    private static func rate(_ name: String, _ kind: Quotas.Kind, _ summary: String) -> Setting {
        Setting(name, "0", summary, isOwn: true) {
            let rate = try decimal($1, 0...1_000_000)
            guard rate == 0 || rate >= QuotaLimit.leastRate else {
                throw Rejected("0, or a number from 0.000001 to 1000000")
            }
            $0.quotas[kind, default: QuotaLimit()].rate = rate
        }
    }
}
