#if Server && Memcached
    import AlcedoMemcached
    import AlcedoHTTPServer
    import AlcedoLocks
    import AlcedoPixels
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import Alcedo
    @testable import AlcedoCaches
    @testable import AlcedoServer

    @Suite(.timeLimit(.minutes(10))) struct `Results that machines share` {
        private let node: MemcachedProcess
        private let png: [UInt8]

        private final class Clock: Sendable {
            let seconds = Lock(0.0)
        }

        init() throws {
            node = try MemcachedProcess()
            png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        }

        /// The shared cache as a machine sees it whose clock is ahead.
        private func cache(ahead seconds: Double = 0) throws -> SharedImageCache {
            // Long limits, because tests share few cores.
            let settings = SharedCacheSettings {
                ($0.lookupTimeout, $0.writeTimeout) = (.seconds(600), .seconds(600))
                ($0.leaseTime, $0.leaseWait) = (.seconds(6_000), .seconds(3_000))
                ($0.epoch, $0.timeToLive) = (.fixed(1), .seconds(1_000_000))
                ($0.failureTimeToLive, $0.missingTimeToLive) = (.seconds(10_000), .seconds(10_000))
                $0.secrets = [Data("a secret of the fleet".utf8)]
            }
            let patient = MemcachedSettings {
                $0.connectTimeout = .seconds(600)
                ($0.pollTimeout, $0.callTimeout) = (.seconds(600), .seconds(600))
            }
            let store = try MemcachedStore(servers: [node.server], settings: patient)
            return SharedImageCache(store, settings: settings) { Date(timeIntervalSinceNow: seconds) }
        }

        @Test func `results that machines share are created by one of them`() async throws {
            let first = try cache()
            var origin = try ImageOrigin { $0.engine = ServerEngine(shared: first) }
            origin.server.serve("/s", png, headers: [("ETag", "\"1\"")])
            let made = await origin.get("w:20", "/s")
            #expect(made.tier == .source)
            try await origin.engine.flush(within: 600)
            let second = try cache()
            origin.engine = ServerEngine(shared: second)
            let shared = await origin.get("w:20", "/s")
            #expect(shared.tier == .shared && shared.body == made.body && shared.header("ETag") == "\"1\"")
            #expect(await origin.get("w:20", "/s").tier == .memory)
            origin.engine = ServerEngine(shared: second)
            let unchanged = await origin.get("w:20", "/s", headers: [("If-None-Match", "\"1\"")])
            #expect(unchanged.status == 304 && unchanged.tier == .shared)
            #expect(origin.server.requestCount() == 1)
            #expect(first.counts.leasesWon == 1 && second.counts.hits == 2)
        }

        @Test func `results that machines share are fetched once by machines that race`() async throws {
            let gate = Gate()
            let caches = [try cache(), try cache()]
            var origins = [try ImageOrigin { $0.engine = ServerEngine(shared: caches[0]) }]
            origins.append(origins[0])
            origins[1].engine = ServerEngine(shared: caches[1])
            let server = origins[0].server
            server.serve("/s", Reply(body: png).hold(.head, until: gate))
            let responses = try await withThrowingTaskGroup(of: ServerResponse.self) { group in
                for origin in origins {
                    for _ in 0..<20 { group.addTask { await origin.get("w:20", "/s") } }
                }
                await server.waitForRequests(1)
                try await until { caches.reduce(0) { $0 + $1.counts.leasesLost } == 1 }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.map(\.status) == [Int](repeating: 200, count: 40))
            #expect(Set(responses.map(\.tier)).isSuperset(of: [.source, .shared]))
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(server.requestCount() == 1)
        }

        /// With originals, each machine makes another size.
        @Test(arguments: [false, true])
        func `results that machines share are checked by one of them`(keepsOriginals: Bool) async throws {
            let start = Date()
            let time = Clock()
            let second = try cache()
            func engine(_ shared: SharedImageCache) -> ServerEngine {
                ServerEngine(shared: shared) { start.addingTimeInterval(time.seconds.withLock { $0 }) }
            }
            var origin = try ImageOrigin { $0.responses.keepsOriginals = keepsOriginals }
            origin.engine = engine(try cache())
            let gate = Gate()
            let headers = [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
            origin.server.serve(
                "/s", Reply(body: png, headers: headers),
                Reply(status: 304, headers: headers).hold(.head, until: gate))
            let other = keepsOriginals ? "w:40" : "w:20"
            #expect(await origin.get("w:20", "/s").tier == .source)
            try await origin.engine.flush(within: 600)
            let first = origin
            origin.engine = engine(second)
            let new = origin
            #expect(await new.get(other, "/s").tier == (keepsOriginals ? .source : .shared))
            try await new.engine.flush(within: 600)
            time.seconds.withLock { $0 = 61 }
            let checking = Task { await first.get("w:20", "/s") }
            await new.server.waitForRequests(2)
            let waiting = Task { await new.get(other, "/s") }
            try await until { second.counts.leasesLost == 1 || new.server.requestCount() == 3 }
            gate.open()
            #expect(await checking.value.status == 200)
            #expect(await waiting.value.status == 200)
            #expect(new.server.requestCount() == 2)
        }

        @Test func `results that machines share are checked by the next one if the first fails`() async throws
        {
            let start = Date()
            let time = Clock()
            var origin = try ImageOrigin()
            let headers = [("Cache-Control", "max-age=60")]
            origin.server.serve("/s", Reply(body: png, headers: headers), .status(503), Reply(body: png))
            for (seconds, status) in [(0.0, 200), (61, 200), (61, 200)] {
                time.seconds.withLock { $0 = seconds }
                origin.engine = ServerEngine(shared: try cache()) {
                    start.addingTimeInterval(time.seconds.withLock { $0 })
                }
                #expect(await origin.get("w:20", "/s").status == status)
                try await origin.engine.flush(within: 600)
            }
            #expect(origin.server.requestCount() == 3)
        }

        @Test func `results that machines share are removed once their source forbids to keep them`()
            async throws
        {
            let start = Date()
            let time = Clock()
            var origin = try ImageOrigin()
            func renew() async throws -> ServerResponse.Tier? {
                origin.engine = ServerEngine(shared: try cache()) {
                    start.addingTimeInterval(time.seconds.withLock { $0 })
                }
                let response = await origin.get("w:20", "/s")
                try await origin.engine.flush(within: 600)
                return response.tier
            }
            origin.server.serve(
                "/s", Reply(body: png, headers: [("Cache-Control", "max-age=60")]),
                Reply(body: png, headers: [("Cache-Control", "private")]))
            #expect(try await renew() == .source)
            #expect(try await renew() == .shared)
            time.seconds.withLock { $0 = 61 }
            #expect(try await renew() == .source)
            // As a machine whose clock is behind sees it.
            time.seconds.withLock { $0 = 30 }
            #expect(try await renew() == .source)
        }

        @Test func `results that machines share are created by another one if the first gives up`()
            async throws
        {
            let gate = Gate()
            let (first, second) = (try cache(), try cache())
            var origin = try ImageOrigin { $0.engine = ServerEngine(shared: first) }
            origin.server.serve("/s", Reply(body: png).hold(.head, until: gate), Reply(body: png))
            let abandoned = Task { [origin] in await origin.get("w:20", "/s") }
            await origin.server.waitForRequests(1)
            origin.engine = ServerEngine(shared: second)
            // Would wait longer than this test may take.
            let waiting = Task { [origin] in await origin.get("w:20", "/s", within: .seconds(6_000)) }
            try await until { second.counts.leasesLost == 1 }
            abandoned.cancel()
            #expect(await abandoned.value.status == 499)
            let response = await waiting.value
            #expect(response.status == 200 && response.tier == .source)
            gate.open()
        }

        @Test(arguments: [
            (Reply.status(404), 404, true), (.status(410), 410, true), (.status(503), 502, true),
            (Reply(body: Array("no image".utf8)), 422, true), (.status(403), 403, false),
        ])
        func `results that machines share may be failures, if these are the source's`(
            reply: Reply, status: Int, isShared: Bool
        ) async throws {
            var origin = try ImageOrigin()
            origin.server.serve("/s", reply)
            var responses: [ServerResponse] = []
            for _ in 0..<2 {
                origin.engine = ServerEngine(shared: try cache())
                responses.append(await origin.get("w:20", "/s"))
                try await origin.engine.flush(within: 600)
            }
            #expect(responses.map(\.status) == [status, status])
            #expect(
                responses[0].text == responses[1].text && responses[0].errorKind == responses[1].errorKind)
            #expect(origin.server.requestCount() == (isShared ? 1 : 2))
        }

        @Test(arguments: ["private", "no-store", "Private, max-age=60", "private, no-store"], [false, true])
        func `machines share no results of sources that are for one client, or kept by nobody`(
            control: String, keepsOriginals: Bool
        ) async throws {
            var origin = try ImageOrigin { $0.responses.keepsOriginals = keepsOriginals }
            origin.server.serve("/s", png, headers: [("Cache-Control", control)])
            for _ in 0..<2 {
                let shared = try cache()
                origin.engine = ServerEngine(shared: shared)
                let response = await origin.get("w:20", "/s")
                #expect(response.status == 200 && response.tier == .source)
                #expect(response.header("Cache-Control")?.contains("public") == false)
                try await origin.engine.flush(within: 600)
                #expect(shared.counts.writes == 0)
            }
            #expect(origin.server.requestCount() == 2)
        }

        @Test(arguments: ["private", "no-store"])
        func `machines share no failures that are one client's`(
            control: String
        ) async throws {
            var origin = try ImageOrigin()
            origin.server.serve("/s", .status(404, headers: [("Cache-Control", control)]))
            for _ in 0..<2 {
                origin.engine = ServerEngine(shared: try cache())
                #expect(await origin.get("w:20", "/s").status == 404)
                try await origin.engine.flush(within: 600)
            }
            #expect(origin.server.requestCount() == 2)
        }

        /// A failure of a URL with a password is not shared at all.
        @Test(arguments: ["", "user:hunter2@"])
        func `results that machines share have no credentials in failures`(userInfo: String) async throws {
            var origin = try ImageOrigin()
            let shared = try cache()
            origin.engine = ServerEngine(shared: shared)
            origin.rules.baseURL = "http://\(userInfo)127.0.0.1:\(origin.server.port)/"
            origin.responses.isDevelopment = true
            let target = "/unsafe/w:20/plain/missing%3Ftoken=hunter3"
            let response = await origin.handler.patientResponse(to: HTTPRequest.get(target))
            #expect(response.status == 404)
            try await origin.engine.flush(within: 600)
            let resultKey = try key(of: target, origin)
            let name = SharedPrefix(namespace: "default", epoch: 1)
                .name(of: SharedKey(.image, of: resultKey, identifier: "entry"))
            let value = try await shared.store.value(forKey: name)
            #expect((value == nil) == !userInfo.isEmpty)
            let texts = [response.text, response.reason, value.map { String(decoding: $0, as: UTF8.self) }]
            for text in texts.compactMap(\.self) {
                #expect(text.contains("the origin responded with 404") && !text.contains("hunter"), "\(text)")
            }
        }

        @Test
        func
            `results that machines share are created again shortly before they expire, while the old one is sent`()
            async throws
        {
            var origin = try ImageOrigin()
            origin.engine = ServerEngine(shared: try cache())
            origin.server.serve("/s", png)
            _ = await origin.get("w:20", "/s")
            try await origin.engine.flush(within: 600)
            // Lives from 900,000 to 1,100,000 s, and is old after 80 % of that.
            let later = try cache(ahead: 881_000)
            // The first machine's lease may be there for a moment longer than its value.
            while origin.server.requestCount() < 2 {
                try Task.checkCancellation()
                origin.engine = ServerEngine(shared: later)
                #expect(await origin.get("w:20", "/s").tier == .shared)
            }
            try await until { later.counts.writes == 1 }
            #expect(later.counts.renewals == 1)
        }

        @Test func `results that machines share have one original for several sizes`() async throws {
            var origin = try ImageOrigin { $0.responses.keepsOriginals = true }
            origin.server.serve("/s", png)
            for width in [20, 21, 22] {
                origin.engine = ServerEngine(shared: try cache())
                #expect(await origin.get("w:\(width)", "/s").tier == .source)
                try await origin.engine.flush(within: 600)
            }
            #expect(origin.server.requestCount() == 1)
        }

        @Test func `results that machines share are created here if memcached has other bytes`() async throws
        {
            var origin = try ImageOrigin { $0.engine = ServerEngine(memoryBytes: 1) }
            origin.server.serve("/s", png)
            let shared = try cache()
            try await store("nonsense", forKey: try key(of: origin.target("w:20", "/s"), origin), in: shared)
            try await shared.flush(within: .seconds(600))
            origin.engine = ServerEngine(shared: try cache())
            let response = await origin.get("w:20", "/s")
            #expect(response.status == 200 && response.tier == .source)
        }

        /// Stores a text; the right to do so ends with the call, which flushes wait for.
        private func store(_ text: String, forKey key: String, in shared: SharedImageCache) async throws {
            guard case .missed(let right?) = await shared.entry(forKey: key, wait: 0) else {
                throw CocoaError(.fileReadUnknown)
            }
            right.store(Data(text.utf8), lifetime: 1_000)
        }

        private func key(of target: String, _ origin: ImageOrigin) throws -> String {
            let url = try ImageURL(requestTarget: target, rules: origin.rules, hints: .none, now: 0)
            return origin.handler.key(
                of: url, accepted: ResultFormat.accepted(by: nil, rules: origin.responses))
        }
    }
#endif
