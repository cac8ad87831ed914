#if Memcached
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import AlcedoMemcached

    @Suite(.timeLimit(.minutes(10))) struct `A memcached store` {
        let node: MemcachedProcess
        let store: MemcachedStore

        init() throws {
            node = try MemcachedProcess()
            store = try MemcachedStore(servers: [node.server], settings: patient)
        }

        @Test func `a memcached store keeps bytes`() async throws {
            for value in [Data(), Data([0, 1, 255]), Data(repeating: 7, count: 900_000)] {
                try await store.set(value, forKey: "a", expiringAfter: 100_000)
                #expect(try await store.value(forKey: "a") == value)
            }
            #expect(try await store.value(forKey: "b") == nil)
            try await store.set(Data([2]), forKey: "b", expiringAfter: 0)
            let values = try await store.values(forKeys: ["a", "b", "c"])
            #expect(values.mapValues(\.count) == ["a": 900_000, "b": 1])
            try await store.delete("a")
            try await store.delete("a")
            #expect(try await store.value(forKey: "a") == nil)
            let metrics = store.metrics.nodes[0]
            #expect((metrics.hits, metrics.misses, metrics.errors) == (5, 3, [:]))
            #expect(metrics.sentBytes == 900_004)
            #expect(metrics.latencies.total == 14)
            #expect(metrics.latencies.quantile(0.99) > 0)
        }

        @Test func `a memcached store adds only values that are missing`() async throws {
            #expect(try await store.add(Data([1]), forKey: "a", expiringAfter: 100_000))
            #expect(try await !store.add(Data([2]), forKey: "a", expiringAfter: 100_000))
            #expect(try await store.value(forKey: "a") == Data([1]))
        }

        @Test func `a memcached store keeps a value for more than 30 days`() async throws {
            try await store.set(Data([1]), forKey: "a", expiringAfter: 2_592_001)
            #expect(try await store.value(forKey: "a") == Data([1]))
            #expect(memcachedExpiry(2_592_000, now: 5_000_000) == 2_592_000)
            #expect(memcachedExpiry(2_592_001, now: 5_000_000) == 7_592_001)
            // memcached reads 31 bits.
            #expect(memcachedExpiry(630_720_000, now: 1_800_000_000) == Int(Int32.max))
            #expect(memcachedExpiry(0) == 0)
            #expect(memcachedExpiry(-1) == 0)
        }

        @Test
        func `a memcached store rejects a value above the server's limit, and still works`() async throws {
            let large = Data(count: 1_500_000)
            await #expect(throws: MemcachedError.tooLarge(bytes: 1_500_000)) {
                try await store.set(large, forKey: "a", expiringAfter: 100_000)
            }
            #expect(store.metrics.nodes[0].state == .used)
            #expect(try await store.value(forKey: "a") == nil)
        }

        @Test(arguments: ["", "a b", "a\n", "é", String(repeating: "a", count: 251)])
        func `a memcached store rejects a key that memcached does not allow`(_ key: String) async throws {
            await #expect(throws: MemcachedError.invalidKey(key)) { try await store.value(forKey: key) }
            #expect(try await store.value(forKey: String(repeating: "a", count: 250)) == nil)
        }

        @Test func `a memcached store reads its servers`() throws {
            let parsed = try ["a", "b:1", "[::1]:2", "::1", "[::1]"].map { try MemcachedServer($0) }
            #expect(parsed.map(\.description) == ["a:11211", "b:1", "[::1]:2", "[::1]:11211", "[::1]:11211"])
            for text in ["", ":1", "a:", "a:0", "a:65536", "a:b", "a b:1"] {
                #expect(throws: MemcachedError.self, "\(text)") { try MemcachedServer(text) }
            }
            #expect(throws: MemcachedError.invalidServers) { try MemcachedStore(servers: [String]()) }
            #expect(throws: MemcachedError.invalidServers) { try MemcachedStore(servers: ["a:1", "a:1"]) }
            #expect(throws: MemcachedError.self) {
                try MemcachedStore(servers: [MemcachedServer(host: "a", weight: 0)])
            }
        }

        @Test func `a memcached store rejects calls for which its queue has no room, at once`() async throws {
            let settings = MemcachedSettings {
                $0 = patient
                ($0.threads, $0.queueLimit) = (1, 1)
            }
            let store = try MemcachedStore(servers: [node.server], settings: settings)
            _ = try await store.value(forKey: "a")
            node.stop()
            defer { node.resume() }
            let outcomes = Recorder<MemcachedError?>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            _ = try await store.value(forKey: "a")
                            outcomes.append(nil)
                        } catch let error as MemcachedError { outcomes.append(error) }
                    }
                }
                // Two at most wait: one for the server, and one for the thread.
                await outcomes.waitFor(count: 6)
                node.resume()
                try await group.waitForAll()
            }
            let rejected = [MemcachedError?](repeating: .overloaded, count: 6)
            #expect(Array(outcomes.values.prefix(6)) == rejected)
            #expect(outcomes.count == 8)
            #expect(outcomes.values.contains { $0 == nil }, "\(outcomes.values)")
        }

        @Test func `a memcached store does not wait for a thread longer than its limit`() async throws {
            let settings = MemcachedSettings {
                $0 = patient
                ($0.threads, $0.callTimeout) = (1, .seconds(0.1))
            }
            let store = try MemcachedStore(servers: [node.server], settings: settings)
            let gate = Gate()
            defer { gate.open() }
            let call = NodeCall { _, _, _ in gate.wait() }
            #expect(store.queues[0].append(call))
            await gate.waitForArrivals(1)
            await #expect(throws: MemcachedError.timedOut) { try await store.value(forKey: "a") }
        }
    }

    /// Time limits that do not expire on a busy machine; libmemcached's are 60 s at most.
    let patient = MemcachedSettings {
        ($0.connectTimeout, $0.pollTimeout, $0.callTimeout) = (.seconds(60), .seconds(60), .seconds(300))
    }
#endif
