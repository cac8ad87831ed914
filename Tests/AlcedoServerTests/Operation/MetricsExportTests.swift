#if Server
    import AlcedoTestSupport
    import AlcedoTransport
    import AlcedoWaiting
    import Foundation
    import FoundationNetworking
    import Testing

    @testable import AlcedoServer

    @Suite(.timeLimit(.minutes(10)))
    struct `Metrics for a collector` {
        private let collector: LoopbackServer
        private let bodies = Recorder<[UInt8]>()

        init() throws {
            collector = try LoopbackServer()
            for path in ["/v1/metrics", "/own"] {
                collector.route(path) { [bodies] request in
                    if request.header("x-token") == "a b" { bodies.append(request.body) }
                    return .status(200)
                }
            }
        }

        private func settings(_ own: [String: String]) throws -> ServerSettings {
            let common = [
                "ALCEDO_BIND": "127.0.0.1:0", "ALCEDO_CACHE_DISK": "0", "ALCEDO_SANDBOX": "off",
                "ALCEDO_PROMETHEUS_NAMESPACE": "img", "OTEL_SERVICE_NAME": "pictures",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-token=a%20b",
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address("/"),
            ]
            return try SettingTexts(environment: common.merging(own) { $1 }).settings()
        }

        /// Starts a server, gets `path`, and stops it.
        private func serve(_ own: [String: String], while body: () async throws -> Void = {}) async throws {
            let settings = try settings(own)
            let server = try ImageServer(
                settings: settings, log: RequestLog(LogWriter { _ in }), engine: try ServerEngine(settings))
            let url = try #require(URL(string: "http://\(server.address)/health"))
            _ = try await URLSession.shared.data(from: url)
            try await body()
            await server.stop()
        }

        /// The metrics of a message by their names.
        private func metrics(_ body: [UInt8]?) throws -> [String: [String: Any]] {
            let bytes = try #require(body)
            let message = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let resource = try #require((message["resourceMetrics"] as? [[String: Any]])?.first)
            let attributes = (resource["resource"] as? [String: [[String: Any]]])?["attributes"]
            #expect((attributes?.first?["value"] as? [String: String]) == ["stringValue": "pictures"])
            let scope = try #require((resource["scopeMetrics"] as? [[String: Any]])?.first)
            let all = try #require(scope["metrics"] as? [[String: Any]])
            return Dictionary(uniqueKeysWithValues: all.map { ($0["name"] as? String ?? "", $0) })
        }

        private func points(_ metric: [String: Any]?, _ form: String) throws -> [[String: Any]] {
            try #require((metric?[form] as? [String: Any])?["dataPoints"] as? [[String: Any]])
        }

        @Test func `values since the start are sent when the server stops, by the names of Prometheus`()
            async throws
        {
            try await serve(["OTEL_METRICS_EXPORTER": "otlp"])
            #expect(bodies.count == 1)
            let metrics = try metrics(bodies.values.last)
            let requests = try points(metrics["img_requests_total"], "sum")
            #expect(requests.count == 1 && requests[0]["asInt"] as? String == "1")
            let sum = try #require(metrics["img_requests_total"]?["sum"] as? [String: Any])
            #expect(sum["aggregationTemporality"] as? Int == 2 && sum["isMonotonic"] as? Bool == true)
            let statuses = try points(metrics["img_status_codes_total"], "sum")
            let labels = try #require(statuses.first?["attributes"] as? [[String: Any]])
            #expect(labels.first?["key"] as? String == "status")
            #expect(labels.first?["value"] as? [String: String] == ["stringValue": "200"])
            #expect(try points(metrics["img_workers"], "gauge").count == 1)
            #expect(try points(metrics["process_resident_memory_bytes"], "gauge").count == 1)
            let times = try #require(try points(metrics["img_request_duration_seconds"], "histogram").first)
            let counts = try #require(times["bucketCounts"] as? [String])
            #expect(times["count"] as? String == "1" && counts.count == Histogram.bounds.count + 1)
            #expect(counts.compactMap { Int($0) }.reduce(0, +) == 1)
            let (start, end) = (times["startTimeUnixNano"] as? String, times["timeUnixNano"] as? String)
            let first = try #require(UInt64(start ?? ""))
            #expect(first <= UInt64(end ?? "") ?? 0)
        }

        @Test func `values are sent after each interval`() async throws {
            let own = ["ALCEDO_OPEN_TELEMETRY_ENABLE_METRICS": "true", "OTEL_METRIC_EXPORT_INTERVAL": "1"]
            try await serve(own) { try await bodies.values(atLeast: 3) }
        }

        @Test func `values go to a URL of their own, which turns them on`() async throws {
            try await serve(["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": collector.address("/own")])
            #expect(collector.requestCount(path: "/own") == 1)
        }

        @Test(arguments: [
            [:], ["OTEL_METRICS_EXPORTER": "none", "ALCEDO_OPEN_TELEMETRY_ENABLE_METRICS": "true"],
            ["OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": ""],
        ])
        func `values are not sent unless they are turned on`(own: [String: String]) async throws {
            try await serve(own)
            #expect(bodies.count == 0)
        }

        @Test func `a collector that fails is told once, until it takes values again`() async throws {
            let warnings = Recorder<String>()
            let statuses = Recorder<Int>()
            collector.route("/failing") { _ in
                statuses.append(0)
                return .status(statuses.count == 3 ? 200 : 503)
            }
            let settings = try settings(["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": collector.address("/failing")]
            )
            let exporter = try #require(
                MetricsExporter(settings.traces, transport: CurlTransport()) { warnings.append($0) })
            for _ in 0..<4 { await exporter.export(MetricsText(namespace: "")) }
            let text = "metrics can't be sent to \(collector.address("/failing")): it responded with 503"
            #expect(warnings.values == [text, text])
        }
    }
#endif
