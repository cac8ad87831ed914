import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import AlcedoWaiting
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Traces` {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    @Test(arguments: [
        ("00-\(trace)-\(parent)-01", true), ("00-\(trace)-\(parent)-00", false),
        ("01-\(trace)-\(parent)-09-x", true),
    ])
    func `traces continue that of the client`(header: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: header))
        #expect(context == TraceContext(trace: Self.trace, span: Self.parent, isSampled: isSampled))
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.parent)-\(isSampled ? "01" : "00")")
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-x", "ff-\(trace)-\(parent)-01",
        "00-\(trace.uppercased())-\(parent)-01", "00-\(trace.dropLast())-\(parent)-01",
        "00-\(trace)-\(parent)-1",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-\(parent)-0x",
    ])
    func `traces start anew for a header that is none`(header: String) {
        #expect(TraceContext(traceparent: header) == nil)
    }

    @Test(arguments: [
        ("a=b", true), ("a=b,c@d=e f, x=1", true), ("a=b,,c=d", true), ("", false), (",", false),
        ("a=\u{1}", false), ("a=b\u{7F}", false), ("a=é", false), ("a", false), ("=b", false), ("a=", false),
        ("a=b=c", false), ("a=\(String(repeating: "b", count: 511))", false),
    ])
    func `traces pass on the state of other tracers if it is one`(header: String, isState: Bool) {
        #expect(TraceContext.isState(header) == isState)
    }

    private struct Span {
        let name: String
        let trace: String
        let id: String
        let parent: String?
        let kind: Int
        let attributes: [String: String]
        let nanoseconds: ClosedRange<UInt64>
    }

    /// Reads what a collector has received.
    private func spans(_ bodies: [[UInt8]], service: String) throws -> [Span] {
        try bodies.flatMap { body -> [Span] in
            let message = try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            let resource = try #require((message["resourceSpans"] as? [[String: Any]])?.first)
            let attributes = (resource["resource"] as? [String: Any])?["attributes"]
            #expect(try Self.texts(attributes)["service.name"] == service)
            let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
            return try #require(scope["spans"] as? [[String: Any]]).map { span in
                func nanoseconds(_ name: String) throws -> UInt64 {
                    try #require((span[name] as? String).flatMap { UInt64($0) })
                }
                let start = try nanoseconds("startTimeUnixNano")
                let end = try nanoseconds("endTimeUnixNano")
                return Span(
                    name: try #require(span["name"] as? String),
                    trace: try #require(span["traceId"] as? String),
                    id: try #require(span["spanId"] as? String), parent: span["parentSpanId"] as? String,
                    kind: try #require(span["kind"] as? Int), attributes: try Self.texts(span["attributes"]),
                    nanoseconds: start...max(start, end))
            }
        }
    }

    private static func texts(_ attributes: Any?) throws -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in try #require(attributes as? [[String: Any]]) {
            let value = try #require(attribute["value"] as? [String: String])
            texts[try #require(attribute["key"] as? String)] = value["stringValue"] ?? value["intValue"]
        }
        return texts
    }

    private struct Served {
        let collector: LoopbackServer
        let origin: LoopbackServer
        let bodies = Recorder<[UInt8]>()
        let headers = Recorder<String?>()
        let engine: ServerEngine
        let handler: RequestHandler

        init(_ environment: [String: String] = [:], isTracing: Bool = true, collectorStatus: Int = 200) throws
        {
            (collector, origin) = (try LoopbackServer(), try LoopbackServer())
            collector.route("/v1/traces") { [bodies] request in
                if request.header("x-token") == "a b" { bodies.append(request.body) }
                return .status(collectorStatus)
            }
            let png = try Bitmap.coordinates(40, 30).encoded(as: .png)
            origin.route("/a") { [headers] request in
                headers.append(request.header("traceparent"))
                headers.append(request.header("tracestate"))
                return Reply(body: png, contentType: "image/png")
            }
            var own = [
                "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "ALCEDO_CACHE_DISK": "0",
                "ALCEDO_SANDBOX": "off", "ALCEDO_DOWNLOAD_TIMEOUT": "600", "ALCEDO_TIMEOUT": "600",
                "OTEL_SERVICE_NAME": "pictures", "OTEL_EXPORTER_OTLP_HEADERS": "x-token=a%20b",
            ]
            if isTracing { own["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.address("/") }
            let settings = try SettingTexts(environment: own.merging(environment) { $1 }).settings()
            engine = try ServerEngine(settings)
            handler = RequestHandler(settings: settings, log: RequestLog(LogWriter { _ in }), engine: engine)
        }

        func get(_ options: String, headers: [(String, String)] = []) async -> Int {
            let target = "/unsafe/\(options)/plain/\(origin.address("/a"))"
            let response = await handler.response(to: .get(target, headers: headers))
            response.onEnd?(.sent)
            return response.status
        }
    }

    @Test func `traces have a span for each stage, and go on at the origin`() async throws {
        let served = try Served()
        let client = [("traceparent", "00-\(Self.trace)-\(Self.parent)-01"), ("tracestate", "a=b")]
        #expect(await served.get("w:10", headers: client) == 200)
        await served.engine.traces?.flush()
        let spans = try spans(served.bodies.values, service: "pictures")
        #expect(Set(spans.map(\.trace)) == [Self.trace])
        let root = try #require(spans.first { $0.kind == 2 })
        #expect(root.parent == Self.parent && root.name == "GET")
        #expect(root.attributes["http.response.status_code"] == "200")
        #expect(root.attributes["alcedo.tier"] == "source")
        #expect(root.attributes["url.path"]?.hasPrefix("/…/w:10/") == true)
        let parts = spans.filter { $0.id != root.id }
        #expect(parts.allSatisfy { $0.parent == root.id })
        #expect(
            Set(parts.map(\.name)) == [
                "cache", "queue", "GET", "queue for a worker", "decode", "process", "encode",
            ])
        #expect(
            parts.allSatisfy {
                root.nanoseconds.contains($0.nanoseconds.lowerBound)
                    && root.nanoseconds.contains($0.nanoseconds.upperBound)
            })
        let download = try #require(parts.first { $0.kind == 3 })
        #expect(served.headers.values == ["00-\(Self.trace)-\(download.id)-01", "a=b"])
        #expect(download.attributes["http.response.status_code"] == "200")
    }

    @Test func `traces that the client does not record are passed on, and not sent`() async throws {
        let served = try Served()
        #expect(
            await served.get("w:10", headers: [("traceparent", "00-\(Self.trace)-\(Self.parent)-00")]) == 200)
        await served.engine.traces?.flush()
        #expect(served.bodies.values.isEmpty)
        let header = try #require(served.headers.values.first ?? nil)
        #expect(header.hasPrefix("00-\(Self.trace)-") && header.hasSuffix("-00"))
    }

    @Test(arguments: [("0", 0), ("1", 1)])
    func `traces that start here are recorded by their share`(ratio: String, count: Int) async throws {
        let served = try Served(["OTEL_TRACES_SAMPLER_ARG": ratio])
        #expect(await served.get("w:10") == 200)
        await served.engine.traces?.flush()
        #expect(served.bodies.values.count == count)
    }

    @Test func `traces have no long paths, and no methods that are none`() async throws {
        let served = try Served()
        let options = "cb:" + String(repeating: "a", count: 2000)
        var request = HTTPRequest.get("/unsafe/\(options)/plain/http://localhost/a")
        request.method = "BREW"
        let response = await served.handler.response(to: request)
        response.onEnd?(.sent)
        await served.engine.traces?.flush()
        let root = try #require(try spans(served.bodies.values, service: "pictures").first { $0.kind == 2 })
        #expect(root.name == "_OTHER" && root.attributes["http.request.method"] == "_OTHER")
        #expect(root.attributes["url.path"]?.utf8.count == 1024)
    }

    @Test func `traces do not pass on a state that is none`() async throws {
        let served = try Served()
        let client = [("traceparent", "00-\(Self.trace)-\(Self.parent)-01"), ("tracestate", "a=\u{1}")]
        #expect(await served.get("w:10", headers: client) == 200)
        #expect(served.headers.values.map { $0 != nil } == [true, false])
    }

    @Test func `traces are not there without a collector`() async throws {
        let served = try Served(isTracing: false)
        #expect(
            await served.get("w:10", headers: [("traceparent", "00-\(Self.trace)-\(Self.parent)-01")]) == 200)
        #expect(served.engine.traces == nil)
        #expect(served.headers.values == [nil, nil])
    }

    @Test func `traces are dropped beyond a bound and if the collector fails, with one warning`() async throws
    {
        let warnings = Recorder<String>()
        let collector = try LoopbackServer()
        collector.route("/v1/traces") { _ in .status(503) }
        var settings = TraceSettings()
        settings.endpoint = URL(string: collector.address(""))
        let exporter = try #require(
            TraceExporter(settings, transport: CurlTransport()) { warnings.append($0) })
        let span = TraceSpan(
            context: .newTrace(isSampled: true), parent: nil, name: "a", kind: .server, start: Date(),
            end: Date(), isError: false, attributes: [])
        for _ in 0..<(TraceExporter.bound + 3) { exporter.add(span) }
        await exporter.flush()
        var text = MetricsText(namespace: "")
        exporter.write(to: &text)
        #expect(text.text.contains("trace_spans_total{result=\"dropped\"} \(TraceExporter.bound + 3)\n"))
        #expect(collector.requestCount(path: "/v1/traces") == TraceExporter.bound / TraceExporter.batch)
        let url = collector.address("/v1/traces")
        #expect(warnings.values == ["traces can't be sent to \(url): it responded with 503"])
    }

    @Test func `traces warn of variables of OpenTelemetry that have no effect`() throws {
        let other = ["OTEL_LOGS_EXPORTER": "otlp"]
        #expect(try SettingTexts(environment: other).warnings.isEmpty)
        let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]
        let warnings = try SettingTexts(environment: other.merging(endpoint) { $1 }).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("OTEL_LOGS_EXPORTER "))
    }
}
