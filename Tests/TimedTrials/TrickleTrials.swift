#if Memcached
    import AlcedoMemcached
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// Calls of a server that sends a byte now and then, so that no wait for the next one ever is too long.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct `A call of a memcached server that trickles` {
        private let nodes: [MemcachedProcess]
        private let proxy: SlowProxy
        private let store: MemcachedStore
        private let keys = (0..<40).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<2).map { _ in try MemcachedProcess() }
            proxy = try SlowProxy(to: nodes[0].port)
            store = try MemcachedStore(
                servers: [proxy.server, nodes[1].server],
                settings: MemcachedSettings {
                    $0.pollTimeout = .seconds(2)
                    ($0.connectTimeout, $0.callTimeout) = (.seconds(8), .seconds(8))
                    ($0.firstPause, $0.longestPause, $0.threads) = (.seconds(0.2), .seconds(0.5), 2)
                })
        }

        /// Stores all keys; returns those of the first server.
        private func fill() async throws -> [String] {
            var first: [String] = []
            for key in keys {
                let bytes = store.metrics.nodes[0].sentBytes
                try await store.set(Data(repeating: 7, count: 30), forKey: key, expiringAfter: 100_000)
                if store.metrics.nodes[0].sentBytes > bytes { first.append(key) }
            }
            #expect((1..<keys.count).contains(first.count))
            return first
        }

        private var first: MemcachedMetrics.Node { store.metrics.nodes[0] }

        @Test func `a trickling server is suspended after one call, until it is fast again`() async throws {
            let key = try #require(try await fill().first)
            // "END" takes 3 s then: longer than a poll may, and less than a call may.
            proxy.pace = .bytes(600)
            let start = ContinuousClock.now
            await #expect(throws: MemcachedError.timedOut) { try await store.value(forKey: key) }
            print("A call of at most 8 s ended after \(ContinuousClock.now - start).")
            #expect(first.state != .used)
            #expect(first.errors["A TIMEOUT OCCURRED"] == 1)
            await #expect(throws: MemcachedError.suspended(server: proxy.server)) {
                try await store.value(forKey: key)
            }
            try await until { first.isReplaced }
            print("The others had its keys after \(ContinuousClock.now - start).")
            #expect(first.state != .used)
            #expect(try await store.value(forKey: key) == nil)
            proxy.pace = .full
            let release = ContinuousClock.now
            try await until { first.state == .used }
            print("It was used again \(ContinuousClock.now - release) after it was fast.")
            #expect(try await store.value(forKey: key)?.count == 30)
        }

        @Test func `trickling calls leave a server's keys to others if they keep all threads`() async throws {
            let key = try #require(try await fill().first)
            try await store.set(Data(repeating: 7, count: 3_000), forKey: key, expiringAfter: 100_000)
            // A value takes minutes then.
            proxy.pace = .bytes(600)
            defer { proxy.pace = .full }
            let start = ContinuousClock.now
            let other = Task { try await store.value(forKey: key) }
            await #expect(throws: MemcachedError.timedOut) { try await store.value(forKey: key) }
            await #expect(throws: MemcachedError.timedOut) { try await other.value }
            try await until { first.isReplaced }
            print("The others had its keys after \(ContinuousClock.now - start).")
            #expect(try await store.value(forKey: key) == nil)
            proxy.pace = .full
            try await until { !first.isReplaced }
            #expect(try await store.value(forKey: key)?.count == 3_000)
        }

        @Test func `a trickling call for several keys has those of the other servers`() async throws {
            let own = try await fill()
            proxy.pace = .bytes(600)
            let start = ContinuousClock.now
            let values = try await store.values(forKeys: keys)
            print("The other server's values came after \(ContinuousClock.now - start).")
            #expect(Set(values.keys) == Set(keys).subtracting(own))
            #expect(first.errors["A TIMEOUT OCCURRED"] == 1)
        }

        @Test func `a trickling call counts for its server if cancelled after a poll's time`() async throws {
            let key = try #require(try await fill().first)
            proxy.pace = .bytes(600)
            let starts = Recorder<ContinuousClock.Instant>()
            let late = Task {
                starts.append(.now)
                return try await store.value(forKey: key)
            }
            let start = await starts.waitFor(count: 1)[0]
            try await until { .now - start > .seconds(3) }
            late.cancel()
            await #expect(throws: MemcachedError.timedOut) { try await late.value }
            #expect(first.errors["A TIMEOUT OCCURRED"] == 1)
            #expect(first.state == .used)
        }
    }
#endif
