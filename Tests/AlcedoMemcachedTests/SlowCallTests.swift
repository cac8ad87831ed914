#if Memcached
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import AlcedoMemcached

    /// Calls that take longer than they may, though no wait for the server's next byte is too long.
    ///
    /// `TrickleTrials` has a server that sends a byte now and then.
    @Suite(.timeLimit(.minutes(10))) struct `A call of a memcached server that takes too long` {
        let nodes: [MemcachedProcess]
        let proxy: SlowProxy
        let keys = (0..<40).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<2).map { _ in try MemcachedProcess() }
            proxy = try SlowProxy(to: nodes[0].port)
        }

        /// A store whose time limits do not expire, and whose servers are tried soon.
        private func store(
            _ configure: (inout MemcachedSettings) -> Void = { _ in }
        ) throws -> MemcachedStore {
            try MemcachedStore(
                servers: [proxy.server, nodes[1].server],
                settings: MemcachedSettings {
                    $0.connectTimeout = .seconds(60)
                    ($0.pollTimeout, $0.callTimeout) = (.seconds(60), .seconds(600))
                    ($0.firstPause, $0.longestPause, $0.threads) = (.seconds(0.05), .seconds(0.1), 2)
                    configure(&$0)
                })
        }

        /// Stores all keys; returns those of the first server.
        private func fill() async throws -> [String] {
            let store = try store()
            var first: [String] = []
            for key in keys {
                let bytes = store.metrics.nodes[0].sentBytes
                try await store.set(Data(repeating: 7, count: 30), forKey: key, expiringAfter: 100_000)
                if store.metrics.nodes[0].sentBytes > bytes { first.append(key) }
            }
            #expect((1..<keys.count).contains(first.count))
            return first
        }

        /// Calls until a server responds: a short time limit may end calls of a busy machine, too.
        private func read(_ key: String, of store: MemcachedStore) async throws -> Data? {
            while true {
                try Task.checkCancellation()
                do { return try await store.value(forKey: key) } catch is MemcachedError {
                    await Task.yield()
                }
            }
        }

        /// Calls until a server has the value.
        private func value(_ key: String, in store: MemcachedStore) async throws -> Data {
            while true {
                if let value = try await read(key, of: store) { return value }
                await Task.yield()
            }
        }

        @Test func `a slow call has its server suspended at once`() async throws {
            let key = try #require(try await fill().first)
            let store = try store { ($0.firstPause, $0.longestPause) = (.seconds(1_000), .seconds(1_000)) }
            let (queue, gate) = (store.queues[0], Gate())
            defer { gate.open() }
            let call = NodeCall { _, _, _ in gate.wait() }
            #expect(queue.append(call))
            await gate.waitForArrivals(1)
            queue.expire(call)
            #expect(store.metrics.nodes[0].state == .suspended)
            #expect(store.metrics.nodes[0].errors == ["A TIMEOUT OCCURRED": 1])
            await #expect(throws: MemcachedError.suspended(server: proxy.server)) {
                try await store.value(forKey: key)
            }
        }

        @Test
        func `a slow call has its server tried until it responds, and the others have its keys meanwhile`()
            async throws
        {
            let key = try #require(try await fill().first)
            let store = try store { $0.callTimeout = .seconds(0.2) }
            proxy.hold()
            while store.metrics.nodes[0].state == .used {
                try Task.checkCancellation()
                await #expect(throws: MemcachedError.self) { try await store.value(forKey: key) }
            }
            try await until { store.metrics.nodes[0].isReplaced }
            #expect(store.metrics.nodes[0].state != .used)
            #expect(store.metrics.nodes[0].errors["A TIMEOUT OCCURRED", default: 0] >= 1)
            #expect(try await read(key, of: store) == nil)
            proxy.release()
            try await until { store.metrics.nodes[0].state == .used }
            #expect(try await value(key, in: store).count == 30)
        }

        @Test
        func `slow calls leave a server's keys to the others if they keep all threads busy`() async throws {
            let key = try #require(try await fill().first)
            let store = try store { $0.callTimeout = .seconds(0.2) }
            let (queue, gate) = (store.queues[0], Gate())
            defer { gate.open() }
            let calls = (0..<2).map { _ in NodeCall { _, _, _ in gate.wait() } }
            for call in calls { #expect(queue.append(call)) }
            await gate.waitForArrivals(2)
            for call in calls { queue.expire(call) }
            // No thread is free for the call that tries the server.
            try await until { store.metrics.nodes[0].isReplaced }
            #expect(try await read(key, of: store) == nil)
            gate.open()
            try await until { !store.metrics.nodes[0].isReplaced }
            #expect(try await value(key, in: store).count == 30)
        }

        @Test func `a slow call for several keys has those of the other servers`() async throws {
            let own = try await fill()
            let store = try store { $0.callTimeout = .seconds(1) }
            proxy.hold()
            var values: [String: Data] = [:]
            // The other server may not respond for all of its keys in time.
            while values.isEmpty {
                try Task.checkCancellation()
                values = (try? await store.values(forKeys: keys)) ?? [:]
            }
            #expect(Set(values.keys) == Set(keys).subtracting(own))
            #expect(store.metrics.nodes[0].errors["A TIMEOUT OCCURRED", default: 0] >= 1)
        }

        @Test(
            arguments: [(.seconds(1_000), [:]), (.zero, ["A TIMEOUT OCCURRED": 1])]
                as [(Duration, [String: Int])])
        func `a slow call counts for its server if it is cancelled after a poll's time, and not before`(
            pollTimeout: Duration, errors: [String: Int]
        ) async throws {
            let store = try store { $0.pollTimeout = pollTimeout }
            let (queue, gate) = (store.queues[0], Gate())
            defer { gate.open() }
            let call = NodeCall { _, _, _ in gate.wait() }
            #expect(queue.append(call))
            await gate.waitForArrivals(1)
            queue.cancel(call)
            #expect(store.metrics.nodes[0].errors == errors)
            #expect(store.metrics.nodes[0].state == .used)
        }

        @Test func `a slow call ends when it is cancelled`() async throws {
            let key = try #require(try await fill().first)
            let store = try store()
            proxy.hold()
            let call = Task { try await store.value(forKey: key) }
            call.cancel()
            await #expect(throws: MemcachedError.timedOut) { try await call.value }
            #expect(store.metrics.nodes[0].errors.isEmpty)
        }
    }
#endif
