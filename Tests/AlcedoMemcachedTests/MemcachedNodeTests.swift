#if Memcached
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import AlcedoMemcached

    /// Three servers, some of which fail.
    @Suite(.timeLimit(.minutes(10))) struct `Servers of a memcached store` {
        let nodes: [MemcachedProcess]
        let store: MemcachedStore
        let keys = (0..<300).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<3).map { _ in try MemcachedProcess() }
            store = try MemcachedStore(
                servers: nodes.map(\.server),
                settings: MemcachedSettings {
                    ($0.firstPause, $0.longestPause, $0.callTimeout) = (0.2, 1, 30)
                    // Far beyond what a server takes that works, also on a busy machine.
                    ($0.pollTimeout, $0.connectTimeout) = (5, 5)
                })
        }

        /// Sets all keys to themselves, and waits until each has its value.
        private func fill() async throws {
            for key in keys { try await store.set(Data(key.utf8), forKey: key, expiringAfter: 100) }
        }

        /// The keys that have their value.
        private func present() async -> Set<String> {
            var present: Set<String> = []
            for key in keys {
                guard let value = try? await store.value(forKey: key) else { continue }
                #expect(value == Data(key.utf8))
                present.insert(key)
            }
            return present
        }

        private func errors(_ node: Int) -> Int { store.metrics.nodes[node].errors.values.reduce(0, +) }

        @Test func `that die lose their keys to the others, and get them back`() async throws {
            try await fill()
            let before = await present()
            #expect(before.count == 300)
            nodes[0].kill()
            let start = ContinuousClock.now
            let left = await present()
            #expect((100...280).contains(left.count))
            // A few failures of calls and of their retries, then one of each probe, which come over a second apart.
            let seconds = Int((ContinuousClock.now - start) / .seconds(1))
            #expect(errors(0) <= 3 + 2 * store.settings.threads + seconds)
            try await until { store.metrics.nodes[0].isReplaced }
            for key in keys where !left.contains(key) {
                try await store.set(Data(key.utf8), forKey: key, expiringAfter: 100)
            }
            // The others' keys have stayed where they were.
            #expect(await present().count == 300)
            #expect(errors(1) + errors(2) == 0)

            try nodes[0].restart()
            try await until { !store.metrics.nodes[0].isReplaced }
            #expect(await present() == left)
        }

        @Test func `that restart cost no call`() async throws {
            try await fill()
            try nodes[0].restart()
            for key in keys { _ = try await store.value(forKey: key) }
            #expect(errors(0) == 0)
            #expect(store.metrics.nodes[0].state == .used)
        }

        @Test func `that hang are left alone after a few calls, and return`() async throws {
            try await fill()
            nodes[0].stop()
            let start = ContinuousClock.now
            let left = await present()
            #expect((100...280).contains(left.count))
            // Further probes, each of which waits for a pause of a second and then 5 s for an answer, on a slow machine.
            let further = Int((ContinuousClock.now - start) / .seconds(6))
            #expect(errors(0) <= 3 + 4 + 3 * 2 + further)
            #expect(errors(1) + errors(2) == 0)
            nodes[0].resume()
            try await until { store.metrics.nodes[0].state == .used }
            #expect(await present().count == 300)
        }

        @Test func `that stop at random give no wrong value`() async throws {
            let settings = MemcachedSettings {
                ($0.pollTimeout, $0.connectTimeout, $0.firstPause, $0.longestPause) = (0.02, 0.05, 0.02, 0.05)
            }
            let store = try MemcachedStore(servers: nodes.map(\.server), settings: settings)
            let end = ContinuousClock.now + .seconds(4)
            let (hits, wrong, finished) = (Counter(), Counter(), Counter())
            // Four seconds, and as long as it takes until values are found and servers fail.
            @Sendable func goesOn() -> Bool {
                ContinuousClock.now < end || hits.value <= 10
                    || !store.metrics.nodes.contains { !$0.errors.isEmpty }
            }
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        var number = worker
                        while !Task.isCancelled, goesOn() {
                            number = (number * 7 + 1) % 997
                            let key = "noise-\(number % 97)"
                            let value =
                                Data((key + ":").utf8) + Data(repeating: UInt8(number % 97), count: 20_000)
                            try? await store.set(value, forKey: key, expiringAfter: 100)
                            guard let found = try? await store.value(forKey: key) else { continue }
                            hits.increment()
                            if !found.starts(with: Data((key + ":").utf8)) || found.count != value.count {
                                wrong.increment()
                            }
                        }
                    }
                }
                let noise = Thread {
                    while finished.value == 0 {
                        let node = nodes.randomElement()
                        node?.stop()
                        poll(nil, 0, 30)
                        node?.resume()
                        poll(nil, 0, 10)
                    }
                }
                noise.start()
                await group.waitForAll()
                finished.increment()
            }
            for node in nodes { node.resume() }
            #expect(wrong.value == 0)
            #expect(hits.value > 10)
            #expect(store.metrics.nodes.contains { !$0.errors.isEmpty })
        }

        @Test func `each have a copy of an epoch, of which the highest counts`() async throws {
            try await store.setCopies(Data("4".utf8), forKey: "e")
            #expect(try await store.copies(ofKey: "e") == [Data("4".utf8), Data("4".utf8), Data("4".utf8)])
            try nodes[1].restart()
            #expect(try await store.copies(ofKey: "e").compactMap { $0 }.count == 2)
            nodes[0].kill()
            #expect(try await store.copies(ofKey: "e").compactMap { $0 } == [Data("4".utf8)])
            let shared = SharedImageCache(
                store, settings: SharedCacheSettings { ($0.writeTimeout, $0.namespace) = (10, "n") })
            #expect(try await shared.bumpEpoch() == 1)
            #expect(try await shared.bumpEpoch() == 2)
            #expect(try await store.copies(ofKey: "al1:n:epoch") == [Data("2".utf8), Data("2".utf8)])
        }
    }
#endif
