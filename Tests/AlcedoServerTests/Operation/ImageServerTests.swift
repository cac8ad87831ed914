#if Server
    import AlcedoHTTPServer
    @testable import AlcedoServer
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import FoundationNetworking
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct `An image server` {
        private struct Served {
            let server: ImageServer
            let lines: Recorder<String>

            func get(
                _ path: String, method: String = "GET", headers: [String: String] = [:], metrics: Bool = false
            ) async throws -> (status: Int, headers: [AnyHashable: Any], text: String) {
                guard case .tcp(_, let port)? = metrics ? server.metricsAddress : server.address else {
                    throw CocoaError(.fileNoSuchFile)
                }
                var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
                request.httpMethod = method
                request.timeoutInterval = 600
                for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
                let (data, response) = try await URLSession.shared.data(for: request)
                let http = try #require(response as? HTTPURLResponse)
                return (http.statusCode, http.allHeaderFields, String(decoding: data, as: UTF8.self))
            }
        }

        private func withServer(
            _ environment: [String: String] = [:],
            responder: ImageService.Responder = ImageService.Responder { request in
                ServedAnswer(status: 200, body: Data(request.target.utf8), tier: .memory)
            },
            _ body: (Served) async throws -> Void
        ) async throws {
            let own = [
                "ALCEDO_BIND": "127.0.0.1:0", "ALCEDO_PROMETHEUS_BIND": "127.0.0.1:0",
                "ALCEDO_READ_REQUEST_TIMEOUT": "600", "ALCEDO_WRITE_RESPONSE_TIMEOUT": "600",
            ]
            // All requests come in one period of refusals.
            let now = ContinuousClock.now
            let settings = try SettingTexts(environment: environment.merging(own) { $1 }).settings()
            let lines = Recorder<String>()
            let server = try ImageServer(
                settings: settings,
                log: RequestLog(
                    LogWriter { for line in $0.split(separator: "\n") { lines.append(String(line)) } },
                    now: { now })
            ) { _, _ in responder }
            do {
                try await body(Served(server: server, lines: lines))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        @Test func `says that it runs, and knows its own paths`() async throws {
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

        @Test func `answers at once what it can, and counts it once`() async throws {
            let later = Recorder<String>()
            let responder = ImageService.Responder(
                atOnce: { $0.target == "/now" ? ServedAnswer(status: 200, body: Data("now".utf8)) : nil },
                answer: { request in
                    later.append(request.target)
                    return ServedAnswer(status: 200, body: Data("later".utf8))
                })
            try await withServer(responder: responder) { served in
                #expect(try await served.get("/now").text == "now")
                #expect(try await served.get("/later").text == "later")
                #expect(later.values == ["/later"])
                let metrics = try await served.get("/", metrics: true).text
                #expect(metrics.contains("status_codes_total{status=\"200\"} 2\n"))
                await served.lines.wait { $0.count >= 2 }
                #expect(served.lines.count == 2)
            }
        }

        @Test(arguments: ["/bilder", "/b\u{FC}cher/"]) func `knows its own paths below any prefix`(
            prefix: String
        ) async throws {
            let service = ImageService(
                settings: try SettingTexts(environment: ["ALCEDO_PATH_PREFIX": prefix]).settings(),
                log: RequestLog(LogWriter { _ in }),
                responder: ImageService.Responder { _ in ServedAnswer(status: 500) })
            let path = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + "/health?x"
            #expect(service.answerAtOnce(HTTPRequest(target: Array(path.utf8)))?.status == 200)
            #expect(
                service.answerAtOnce(HTTPRequest(target: Array((prefix + "health2").utf8)))?.status == nil)
        }

        @Test(arguments: [
            (SourceWatch.Readiness.ready, 200, "Ready"),
            (.degraded, 200, "Ready, but some local sources do not respond"),
            (.unready, 503, "Local sources do not respond"),
        ]) func `is ready if it has a source that responds`(
            readiness: SourceWatch.Readiness, status: Int, text: String
        ) throws {
            let service = ImageService(
                settings: try SettingTexts(environment: [:]).settings(), log: RequestLog(LogWriter { _ in }),
                readiness: { readiness }, responder: ImageService.Responder { _ in ServedAnswer(status: 500) }
            )
            let answer = try #require(service.answerAtOnce(HTTPRequest(target: Array("/ready".utf8))))
            #expect(answer.status == status && String(decoding: answer.body, as: UTF8.self) == text)
            service.drain()
            #expect(service.answerAtOnce(HTTPRequest(target: Array("/ready".utf8)))?.status == 503)
            #expect(service.answerAtOnce(HTTPRequest(target: Array("/health".utf8)))?.status == 200)
        }

        @Test func `escapes what URLs name in metrics`() {
            var text = MetricsText(namespace: "")
            text.counters("a", "A.", "source", [("h\"} 1\nb \\", 2)])
            #expect(text.text.hasSuffix("\na{source=\"h\\\"} 1\\nb \\\\\"} 2\n"), "\(text.text)")
        }

        @Test func `wants the secret, and gives requests their identifier`() async throws {
            try await withServer(["ALCEDO_SECRET": "s3"]) { served in
                #expect(try await served.get("/x").status == 403)
                #expect(try await served.get("/x", headers: ["Authorization": "Bearer s4"]).status == 403)
                #expect(try await served.get("/x", headers: ["Authorization": "Bearer s3s3"]).status == 403)
                #expect(try await served.get("/health").status == 200)
                let own = try await served.get(
                    "/x", headers: ["Authorization": "Bearer s3", "X-Request-ID": "my-id_1"])
                #expect(own.status == 200)
                #expect(own.headers["X-Request-ID"] as? String == "my-id_1")
                let new = try await served.get("/x", headers: ["X-Request-ID": "a b\"c"])
                #expect((new.headers["X-Request-ID"] as? String)?.count == 16)
            }
        }

        @Test func `logs a line a request, and sums up refusals`() async throws {
            let refuse = ImageService.Responder { request in
                request.target == "/fine"
                    ? ServedAnswer(
                        status: 200, body: Data("abc".utf8), spans: [.queue: .milliseconds(2)], tier: .disk)
                    : ServedAnswer(status: 403, errorKind: .security, reason: "a\nb")
            }
            var lines = Recorder<String>()
            try await withServer(responder: refuse) { served in
                _ = try await served.get("/fine?token=1")
                _ = try await served.get("/fine")
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
                all.count { $0["status"] as? Int == 403 && $0["path"] != nil }
            }
            // The sum is the last line.
            await lines.wait { summed(objects($0)) > 0 }
            let all = objects(lines.values)
            #expect((logged(all), summed(all)) == (10, 91))
            let fine = try #require(all.first { $0["path"] as? String == "/fine" })
            #expect(
                fine["tier"] as? String == "disk" && fine["bytes"] as? Int == 3
                    && fine["queue_ms"] as? Int == 2)
        }

        @Test func `logs no credentials of a source, which a URL has percent-encoded`() async throws {
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
        func `logs paths without signatures and credentials`(path: String, logged: String) throws {
            var rules = URLRules()
            rules.trustedSignatures = ["trusted"]
            let text = LoggedPath(path, rules: rules).description
            #expect(!text.contains("hunter") && !text.contains("trusted"))
            #expect(text == logged)
        }

        @Test func `logs what was sent in the place of headers that are too long`() async throws {
            let responder = ImageService.Responder { request in
                let value = String(repeating: "x", count: request.target == "/long" ? 16 << 10 : 10)
                return ServedAnswer(status: 200, headers: [("Cache-Control", value)], body: Data("a".utf8))
            }
            var lines = Recorder<String>()
            try await withServer(responder: responder) { served in
                let answer = try await served.get("/long")
                #expect(answer.status == 500 && answer.text.isEmpty)
                #expect(try await served.get("/short").status == 200)
                lines = served.lines
            }
            await lines.wait { $0.count >= 2 }
            let line = try #require(lines.values.first { $0.contains("/long") })
            #expect(line.contains("\"status\":500,\"bytes\":0,") && !line.contains("aborted"), "\(line)")
        }

        @Test func `keeps its keys if new settings have none`() async throws {
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

        @Test func `counts for Prometheus`() async throws {
            try await withServer(["ALCEDO_PROMETHEUS_NAMESPACE": "img"]) { served in
                for _ in 0..<3 { _ = try await served.get("/x") }
                let text = try await served.get("/anything", metrics: true).text
                #expect(text.contains("\nimg_requests_total 3\n"))
                #expect(text.contains("img_status_codes_total{status=\"200\"} 3\n"))
                #expect(text.contains("img_cache_results_total{tier=\"memory\"} 3\n"))
                #expect(text.contains("img_request_duration_seconds_bucket{le=\"+Inf\"} 3\n"))
                #expect(text.contains("img_workers_utilization 0\n"))
            }
        }

        @Test func `counts errors and the time of each part of the work for Prometheus`() async throws {
            let responder = ImageService.Responder { _ in
                ServedAnswer(
                    status: 504, errorKind: .timeout, spans: [.processing: .milliseconds(20)], tier: .source)
            }
            try await withServer(["ALCEDO_PROMETHEUS_NAMESPACE": "img"], responder: responder) { served in
                for _ in 0..<2 { _ = try await served.get("/x") }
                let text = try await served.get("/", metrics: true).text
                let bucket = "img_request_span_duration_seconds_bucket{span=\"processing_image\""
                #expect(text.contains("\n\(bucket),le=\"0.01\"} 0\n"))
                #expect(text.contains("\n\(bucket),le=\"0.025\"} 2\n"))
                #expect(text.contains("\n\(bucket),le=\"+Inf\"} 2\n"))
                #expect(text.contains("\nimg_errors_total{type=\"timeout\"} 2\n"))
            }
        }

        @Test func `tells tiers and times with debug headers`() async throws {
            let responder = ImageService.Responder { _ in
                ServedAnswer(
                    status: 200, spans: [.queue: .milliseconds(3), .processing: .milliseconds(20)],
                    tier: .source)
            }
            try await withServer(["ALCEDO_ENABLE_DEBUG_HEADERS": "1"], responder: responder) { served in
                let answer = try await served.get("/x")
                #expect(answer.headers["X-Cache-Tier"] as? String == "none")
                #expect(answer.headers["Server-Timing"] as? String == "queue;dur=3.0, process;dur=20.0")
            }
        }
    }
#endif
