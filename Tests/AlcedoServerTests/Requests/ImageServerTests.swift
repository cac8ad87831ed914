#if Server
    import AlcedoHTTPServer
    import AlcedoPixels
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import FoundationNetworking
    import Testing

    @testable import AlcedoServer

    @Suite(.timeLimit(.minutes(10))) struct `An image server` {
        private struct Served {
            let server: ImageServer
            let lines: Recorder<String>

            func get(
                _ path: String, method: String = "GET", headers: [String: String] = [:], metrics: Bool = false
            ) async throws -> (status: Int, headers: [AnyHashable: Any], data: Data, text: String) {
                guard case .tcp(_, let port)? = metrics ? server.metricsAddress : server.address else {
                    throw CocoaError(.fileNoSuchFile)
                }
                var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
                request.httpMethod = method
                request.timeoutInterval = 600
                for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
                let (data, response) = try await URLSession.shared.data(for: request)
                let http = try #require(response as? HTTPURLResponse)
                return (http.statusCode, http.allHeaderFields, data, String(decoding: data, as: UTF8.self))
            }
        }

        /// The path of an image in the local root of ``withServer(_:_:)``.
        private static let image = "/unsafe/w:20/plain/local:///a.png"

        private func settings(
            _ environment: [String: String], root: TemporaryDirectory
        ) throws -> ServerSettings {
            try Data(Bitmap.coordinates(40, 30).encoded(as: .png)).write(to: root.file("a.png"))
            let own = [
                "ALCEDO_BIND": "127.0.0.1:0", "ALCEDO_PROMETHEUS_BIND": "127.0.0.1:0",
                "ALCEDO_READ_REQUEST_TIMEOUT": "600", "ALCEDO_WRITE_RESPONSE_TIMEOUT": "600",
                "ALCEDO_TIMEOUT": "600", "ALCEDO_DOWNLOAD_TIMEOUT": "600",
                "ALCEDO_LOCAL_FILESYSTEM_ROOT": root.path, "ALCEDO_CACHE_DISK": "0", "ALCEDO_SANDBOX": "off",
            ]
            return try SettingTexts(environment: environment.merging(own) { $1 }).settings()
        }

        private func withServer(
            _ environment: [String: String] = [:], _ body: (Served) async throws -> Void
        ) async throws {
            let root = try TemporaryDirectory()
            // All requests come in one period of the log.
            let now = ContinuousClock.now
            let settings = try settings(environment, root: root)
            let lines = Recorder<String>()
            let server = try ImageServer(
                settings: settings,
                log: RequestLog(
                    LogWriter { for line in $0.split(separator: "\n") { lines.append(String(line)) } },
                    now: { now }),
                engine: try ServerEngine(settings))
            do {
                try await body(Served(server: server, lines: lines))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        @Test func `an image server reports that it runs, and knows its own paths`() async throws {
            try await withServer(["ALCEDO_PATH_PREFIX": "/img", "ALCEDO_ALLOW_ORIGIN": "*"]) { served in
                for path in ["/health", "/ready", "/img/health"] {
                    #expect(try await served.get(path).status == 200)
                }
                #expect(try await served.get("/favicon.ico").status == 404)
                #expect(try await served.get("/.well-known/x").status == 404)
                #expect(try await served.get("/x", method: "DELETE").status == 404)
                let options = try await served.get("/x", method: "OPTIONS")
                #expect(options.status == 200 && options.text.isEmpty)
                #expect(options.headers["Access-Control-Allow-Origin"] as? String == "*")
                #expect(options.headers["Access-Control-Allow-Methods"] as? String == "GET, OPTIONS")
            }
        }

        @Test func `an image server responds at once with an image in memory, and counts it once`()
            async throws
        {
            let root = try TemporaryDirectory()
            let settings = try settings(["ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true"], root: root)
            let handler = RequestHandler(
                settings: settings, log: RequestLog(LogWriter { _ in }), engine: try ServerEngine(settings))
            let origin = try LoopbackServer()
            origin.serve("/s", try Bitmap.coordinates(40, 30).encoded(as: .png))
            let image = "/unsafe/w:20/plain/\(origin.address("/s"))"
            #expect(handler.immediateResponse(to: .get(image))?.status == nil)
            #expect(await handler.response(to: .get(image)).status == 200)
            #expect(handler.immediateResponse(to: .get(image))?.status == 200)
            // A file is looked at first.
            #expect(await handler.response(to: .get(Self.image)).status == 200)
            #expect(handler.immediateResponse(to: .get(Self.image))?.status == nil)
            try await withServer { served in
                let first = try await served.get(Self.image)
                #expect(try await served.get(Self.image).data == first.data)
                let metrics = try await served.get("/", metrics: true).text
                #expect(metrics.contains("status_codes_total{status=\"200\"} 2\n"))
                #expect(metrics.contains("cache_results_total{tier=\"memory\"} 1\n"))
                await served.lines.wait { $0.count >= 2 }
                #expect(served.lines.count == 2)
            }
        }

        private func handler(_ environment: [String: String] = [:]) throws -> RequestHandler {
            RequestHandler(
                settings: try SettingTexts(environment: environment).settings(),
                log: RequestLog(LogWriter { _ in }), engine: ServerEngine())
        }

        @Test(arguments: ["/bilder", "/b\u{FC}cher/"])
        func `an image server knows its own paths below any prefix`(
            prefix: String
        ) throws {
            let handler = try handler(["ALCEDO_PATH_PREFIX": prefix])
            let path = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + "/health?x"
            #expect(handler.immediateResponse(to: .get(path))?.status == 200)
            #expect(handler.immediateResponse(to: .get(prefix + "health2"))?.status == 404)
        }

        @Test func `an image server is not ready once it drains`() throws {
            let handler = try handler()
            #expect(handler.immediateResponse(to: .get("/ready"))?.status == 200)
            handler.drain()
            #expect(handler.immediateResponse(to: .get("/ready"))?.status == 503)
            #expect(handler.immediateResponse(to: .get("/health"))?.status == 200)
        }

        @Test func `an image server has a health check at the path that its setting names, too`() throws {
            let handler = try handler(["ALCEDO_HEALTH_CHECK_PATH": "/ping"])
            #expect(handler.immediateResponse(to: .get("/ping"))?.status == 200)
            #expect(handler.immediateResponse(to: .get("/health"))?.status == 200)
            #expect(handler.immediateResponse(to: .get("/pong"))?.status == 404)
        }

        @Test func `metrics escape names from URLs`() {
            var text = MetricsText(namespace: "")
            text.counters("a", "A.", "source", [("h\"} 1\nb \\", 2)])
            #expect(text.text.hasSuffix("\na{source=\"h\\\"} 1\\nb \\\\\"} 2\n"), "\(text.text)")
        }

        @Test func `an image server requires the secret, and gives requests their identifier`() async throws {
            try await withServer(["ALCEDO_SECRET": "s3"]) { served in
                #expect(try await served.get("/x").status == 403)
                #expect(try await served.get("/x", headers: ["Authorization": "Bearer s4"]).status == 403)
                #expect(try await served.get("/x", headers: ["Authorization": "Bearer s3s3"]).status == 403)
                #expect(try await served.get("/health").status == 200)
                let own = try await served.get(
                    Self.image, headers: ["Authorization": "Bearer s3", "X-Request-ID": "my-id_1"])
                #expect(own.status == 200)
                #expect(own.headers["X-Request-ID"] as? String == "my-id_1")
                let new = try await served.get("/x", headers: ["X-Request-ID": "a b\"c"])
                #expect((new.headers["X-Request-ID"] as? String)?.count == 16)
            }
        }

        @Test func `an image server logs a line a request, and sums up equal errors`() async throws {
            var lines = Recorder<String>()
            var byteCount = 0
            try await withServer { served in
                byteCount = try await served.get(Self.image).data.count
                _ = try await served.get(Self.image + "?token=1")
                for number in 0..<100 { _ = try await served.get("/bad\(number)") }
                lines = served.lines
            }
            @Sendable func objects(_ lines: [String]) -> [[String: Any]] {
                lines.compactMap {
                    (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
                }
            }
            @Sendable func summed(_ all: [[String: Any]]) -> Int {
                all.filter { $0["event"] as? String == "refusals" }.reduce(0) {
                    $0 + ($1["count"] as? Int ?? 0)
                }
            }
            @Sendable func logged(_ all: [[String: Any]]) -> Int {
                all.count { $0["status"] as? Int == 404 && $0["path"] != nil }
            }
            // The sum is the last line.
            await lines.wait { summed(objects($0)) > 0 }
            let all = objects(lines.values)
            #expect((logged(all), summed(all)) == (10, 90))
            let images = all.filter { ($0["path"] as? String)?.contains("a.png") == true }
            #expect(images.map { $0["tier"] as? String } == ["source", "memory"])
            #expect(images.allSatisfy { $0["status"] as? Int == 200 && $0["bytes"] as? Int == byteCount })
            #expect(images.first?["queue_ms"] != nil && images.first?["processing_image_ms"] != nil)
            #expect(!lines.values.joined().contains("token=1"))
        }

        @Test func `an image server logs no credentials of a source, which a URL has percent-encoded`()
            async throws
        {
            var lines = Recorder<String>()
            try await withServer { served in
                for source in [
                    "me:hidden%40example.com/a.jpg%3Ftoken=hidden",
                    "example.com/b.jpg%3Fq=a%20b&token=hidden",
                    "me:hid%20hidden%40example.com/c.jpg",
                ] {
                    _ = try await served.get("/unsafe/plain/http://\(source)")
                }
                lines = served.lines
            }
            for name in "abc" { await lines.wait { $0.contains { $0.contains("example.com/\(name).jpg") } } }
            #expect(!lines.values.joined().contains("hidden"))
        }

        @Test(arguments: [
            (
                "/trusted/w:2/plain/https:/user:hunter2%40h.test/a.jpg@png",
                "/…/w:2/plain/https://…@h.test/a.jpg@png"
            ),
            ("/trusted/w:2/plain/https%3A/user:hunter2%40h.test/a", "/…/w:2/plain/https:/…@h.test/a"),
            ("/trusted/plain/user:hunter2%40h.test/a", "/…/plain/…@h.test/a"),
            // https://user:hunter2@h.test/a.jpg?token=hunter2
            (
                "/trusted/w:2/aHR0cHM6Ly91c2VyOmh1bnRlcjJAaC50ZXN0L2EuanBnP3Rva2VuPWh1bnRlcjI.png",
                "/…/w:2/plain/https://…@h.test/a.jpg?…@png"
            ),
            ("/trusted/w:2/aHR0cHM6L/y91c2VyOmh1bnRlcj", "/…/w:2/plain/https://user:…"),
            // Passwords and tokens whose `@` isn't encoded: what is behind it is no format.
            ("/sig/plain/http://user:hunter2@h.test/a.png", "/…/plain/http://…@h.test/a.png"),
            ("/sig/plain/http:user:hunter2@h.test/a.png", "/…/plain/…@h.test/a.png"),
            ("/sig/plain/HTTP://hunter2@h.test:80/a.png", "/…/plain/HTTP://…@h.test:80/a.png"),
            (
                "/sig/plain/http://user:x@h.test/a.png%23token=hunter2",
                "/…/plain/http://…@h.test/a.png#…"
            ),
            (
                "/sig/plain/http://user:x@h.test/a.png%3Ftoken=hunter2",
                "/…/plain/http://…@h.test/a.png?…"
            ),
            ("/trusted/w:2/%%%", "/…/w:2/…"),
            ("/trusted/https://user:hunter2@h.test/a", "/…/https:/…"), ("/trusted", "/…"),
            ("/trusted/", "/…/"),
            ("/x/trusted", "/…/…"), ("/%74rusted", "/…"), ("/sig/w:2/enc/aHR0cHM6", "/…/w:2/…"),
            (
                "/sig/w:2/plain/https://h.test/a@2x.png?token=hunter2",
                "/…/w:2/plain/https://h.test/a@2x.png?…"
            ),
            (
                "/sig/rs:fit:300:300/plain/https://example.com/photo.jpg@webp",
                "/…/rs:fit:300:300/plain/https://example.com/photo.jpg@webp"
            ),
        ])
        func `an image server logs paths without signatures and credentials`(path: String, logged: String)
            throws
        {
            var rules = URLRules()
            rules.trustedSignatures = ["trusted"]
            let text = LoggedPath(path, rules: rules).description
            #expect(!text.contains("hunter") && !text.contains("trusted"))
            #expect(text == logged)
        }

        @Test func `an image server logs the response that replaces one with headers that are too long`()
            async throws
        {
            let long = String(repeating: "x", count: 16 << 10)
            var lines = Recorder<String>()
            try await withServer(["ALCEDO_ALLOW_ORIGIN": long]) { served in
                let response = try await served.get(Self.image)
                #expect(response.status == 500 && response.text.isEmpty)
                lines = served.lines
            }
            await lines.wait { $0.count >= 1 }
            let line = try #require(lines.values.first { $0.contains("a.png") })
            #expect(line.contains("\"status\":500,\"bytes\":0,") && !line.contains("aborted"), "\(line)")
        }

        @Test func `an image server keeps its keys if new settings have none`() async throws {
            let keys = ["ALCEDO_KEY": "736563726574", "ALCEDO_SALT": "68656c6c6f"]
            try await withServer(keys) { served in
                let without = try SettingTexts(environment: [:]).settings()
                #expect(throws: SettingFailure.self) { try served.server.reload(without) }
                try served.server.reload(try SettingTexts(environment: keys).settings())
            }
            try await withServer { served in
                let without = try SettingTexts(environment: [:]).settings()
                try served.server.reload(without)
                try served.server.reload(try SettingTexts(environment: keys).settings())
                #expect(throws: SettingFailure.self) { try served.server.reload(without) }
            }
            try await withServer(["ALCEDO_ALLOWED_SOURCES": "https://a.example/"]) { served in
                let without = try SettingTexts(environment: [:]).settings()
                #expect(throws: SettingFailure.self) { try served.server.reload(without) }
            }
        }

        @Test func `an image server counts for Prometheus`() async throws {
            try await withServer(["ALCEDO_PROMETHEUS_NAMESPACE": "img"]) { served in
                for _ in 0..<3 { _ = try await served.get(Self.image) }
                let text = try await served.get("/anything", metrics: true).text
                #expect(text.contains("\nimg_requests_total 3\n"))
                #expect(text.contains("img_status_codes_total{status=\"200\"} 3\n"))
                #expect(text.contains("img_cache_results_total{tier=\"memory\"} 2\n"))
                #expect(text.contains("img_cache_results_total{tier=\"source\"} 1\n"))
                #expect(text.contains(/\nimg_memory_cache_bytes [1-9]/))
                #expect(text.contains("img_request_duration_seconds_bucket{le=\"+Inf\"} 3\n"))
                #expect(text.contains("img_workers_utilization 0\n"))
            }
        }

        @Test func `an image server counts errors and the time of each part of the work for Prometheus`() {
            var response = ServerResponse(HTTPResponse(status: 504), errorKind: .timeout, tier: .source)
            response.spans = [.processing: .milliseconds(20)]
            let metrics = ServerMetrics()
            for _ in 0..<2 {
                metrics.start()
                metrics.respond(response, bytes: 0, after: .zero)
            }
            let gauges = ServerMetrics.Gauges(
                workers: 2, imagesInProgress: 1, queueDepth: 0, connections: 0, lostLogLines: 0, shared: nil,
                sources: SourceWatch(width: 1).figures)
            let text = metrics.text(namespace: "img", gauges: gauges)
            let bucket = "img_request_span_duration_seconds_bucket{span=\"processing_image\""
            #expect(text.contains("\n\(bucket),le=\"0.01\"} 0\n"))
            #expect(text.contains("\n\(bucket),le=\"0.025\"} 2\n"))
            #expect(text.contains("\n\(bucket),le=\"+Inf\"} 2\n"))
            #expect(text.contains("\nimg_errors_total{type=\"timeout\"} 2\n"))
            #expect(text.contains("\nimg_workers_utilization 50\n"))
        }

        @Test func `an image server reports tiers and times with debug headers`() async throws {
            var response = ServerResponse(HTTPResponse(status: 200), tier: .source)
            response.spans = [.queue: .milliseconds(3), .processing: .milliseconds(20)]
            var headers = HTTPHeaders()
            response.addDebugHeaders(to: &headers)
            #expect(headers["X-Cache-Tier"] == "none")
            #expect(headers["Server-Timing"] == "queue;dur=3.0, process;dur=20.0")
            try await withServer(["ALCEDO_ENABLE_DEBUG_HEADERS": "1"]) { served in
                let first = try await served.get(Self.image)
                #expect(first.headers["X-Cache-Tier"] as? String == "none")
                #expect((first.headers["Server-Timing"] as? String)?.hasPrefix("queue;dur=") == true)
                let second = try await served.get(Self.image)
                #expect(second.headers["X-Cache-Tier"] as? String == "memory")
                #expect(second.headers["Server-Timing"] == nil)
            }
        }
    }
#endif
