#if Server && Memcached
    import Alcedo
    import AlcedoHTTPServer
    import AlcedoMemcached
    import AlcedoPixels
    import AlcedoTestSupport
    import Foundation
    import FoundationNetworking
    import Testing

    @testable import AlcedoServer

    @Suite(.timeLimit(.minutes(10))) struct `Image servers with memcached` {
        private let origin: LoopbackServer

        init() throws {
            origin = try LoopbackServer()
            origin.serve("/s", try Bitmap.coordinates(40, 30).encoded(as: .png))
        }

        private struct Served {
            let server: ImageServer
            let engine: ServerEngine

            func get(_ path: String, metrics: Bool = false) async throws -> (HTTPURLResponse, Data) {
                guard case .tcp(_, let port)? = metrics ? server.metricsAddress : server.address else {
                    throw CocoaError(.fileNoSuchFile)
                }
                var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
                request.timeoutInterval = 600
                let (data, response) = try await URLSession.shared.data(for: request)
                return (try #require(response as? HTTPURLResponse), data)
            }

            func metric(_ name: String) async throws -> Int? {
                String(decoding: try await get("/", metrics: true).1, as: UTF8.self)
                    .split(separator: "\n").first { $0.hasPrefix(name + " ") }
                    .flatMap { Int($0.dropFirst(name.count + 1)) }
            }
        }

        /// A server with short time limits for memcached, as by default, or with ones that no busy machine exceeds.
        private func serve(_ nodes: [MemcachedProcess], isPatient: Bool) throws -> Served {
            let settings = try SettingTexts(environment: [
                "ALCEDO_BIND": "127.0.0.1:0", "ALCEDO_PROMETHEUS_BIND": "127.0.0.1:0",
                "ALCEDO_MEMCACHED": nodes.map(\.server).joined(separator: ","),
                "ALCEDO_MEMCACHED_SECRET": "00112233445566778899aabbccddeeff",
                "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "ALCEDO_CACHE_DISK": "0",
                "ALCEDO_ENABLE_DEBUG_HEADERS": "true", "ALCEDO_SANDBOX": "off", "ALCEDO_TIMEOUT": "600",
                "ALCEDO_DOWNLOAD_TIMEOUT": "600", "ALCEDO_READ_REQUEST_TIMEOUT": "600",
                "ALCEDO_WRITE_RESPONSE_TIMEOUT": "600",
            ]).settings()
            let patient = MemcachedSettings {
                $0.connectTimeout = .seconds(600)
                ($0.pollTimeout, $0.callTimeout) = (.seconds(600), .seconds(600))
            }
            let tier = try SharedTier(settings.cache, client: patient) {
                ($0.lookupTimeout, $0.writeTimeout) = (.seconds(600), .seconds(600))
                ($0.leaseTime, $0.leaseWait) = (.seconds(600), .seconds(600))
            }
            let engine = try isPatient ? ServerEngine(settings, shared: tier) : ServerEngine(settings)
            return Served(
                server: try ImageServer(
                    settings: settings, log: RequestLog(LogWriter { _ in }), engine: engine),
                engine: engine)
        }

        private func path(_ width: Int) -> String {
            "/unsafe/w:\(width)/plain/\(origin.address("/s"))@png"
        }

        @Test func `image servers with memcached share results, and say so`() async throws {
            let nodes = [try MemcachedProcess(), try MemcachedProcess()]
            let first = try serve(nodes, isPatient: true)
            let second = try serve(nodes, isPatient: true)
            let made = try await first.get(path(20))
            #expect(made.0.value(forHTTPHeaderField: "X-Cache-Tier") == "none")
            try await first.engine.flush(within: 600)
            let shared = try await second.get(path(20))
            #expect(shared.0.value(forHTTPHeaderField: "X-Cache-Tier") == "shared")
            #expect(shared.1 == made.1)
            #expect(origin.requestCount() == 1)
            // Does so by itself every few seconds: no lookup of a result.
            await second.engine.exchangePurges()
            #expect(try await second.metric("shared_cache_lookups_total{result=\"hit\"}") == 1)
            #expect(try await second.metric("cache_results_total{tier=\"shared\"}") == 1)
            await first.server.stop()
            for node in nodes {
                let name = "shared_cache_breaker_open{server=\"\(node.server)\"}"
                #expect(try await second.metric(name) == 0)
            }
            await second.server.stop()
        }

        @Test(arguments: [true, false])
        func `image servers with memcached serve without it while it is dead or hangs`(isDead: Bool)
            async throws
        {
            let node = try MemcachedProcess()
            let served = try serve([node], isPatient: isDead)
            if isDead { node.kill() } else { node.stop() }
            for width in 20..<30 {
                let response = try await served.get(path(width))
                #expect(response.0.statusCode == 200)
                #expect(response.0.value(forHTTPHeaderField: "X-Cache-Tier") == "none")
            }
            let code = isDead ? "CONNECTION FAILURE" : "A TIMEOUT OCCURRED"
            let errors = "shared_cache_errors_total{server=\"\(node.server)\",code=\"\(code)\"}"
            // With short time limits, all calls may have come too late to connect: further ones are made until one fails.
            var width = 30
            while try await served.metric(errors) == nil {
                try Task.checkCancellation()
                _ = try await served.get(path(width))
                width += 1
            }
            #expect(try #require(try await served.metric("shared_cache_failures_total")) > 0)
            await served.server.stop()
            try await served.engine.flush()
        }

        @Test func `metrics name the memcached servers that are suspended`() {
            var text = MetricsText(namespace: "x")
            SharedTier.Figures(
                counts: SharedCacheCounts(),
                nodes: [
                    .init(server: "b:1", isSuspended: true, errors: ["TIMEOUT": 3]),
                    .init(server: "a:1", isSuspended: false, errors: [:]),
                ]
            ).write(to: &text)
            for line in [
                "x_shared_cache_breaker_open{server=\"a:1\"} 0\nx_shared_cache_breaker_open{server=\"b:1\"} 1\n",
                "x_shared_cache_errors_total{server=\"b:1\",code=\"TIMEOUT\"} 3\n",
                "x_shared_cache_leases_total{outcome=\"lost\"} 0\n",
            ] { #expect(text.text.contains(line)) }
        }

        @Test func `image servers with memcached reject a list of servers that is none`() throws {
            for text in ["a b:1", "host:0", "h:1,h:1"] {
                #expect(throws: SettingFailure.self) {
                    try SettingTexts(environment: ["ALCEDO_MEMCACHED": text]).settings()
                }
            }
        }
    }
#endif
