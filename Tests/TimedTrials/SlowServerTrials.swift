#if Memcached
    import Alcedo
    import AlcedoMemcached
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// A shared cache over three servers, of which the first sends slowly.
    ///
    /// Time limits are forty times the usual ones.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct `A shared cache with a slow server` {
        private let nodes: [MemcachedProcess]
        private let proxy: SlowProxy
        private let store: MemcachedStore
        private let shared: SharedImageCache
        private let keys = (0..<120).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<3).map { _ in try MemcachedProcess() }
            proxy = try SlowProxy(to: nodes[0].port)
            store = try MemcachedStore(
                servers: [proxy.server, nodes[1].server, nodes[2].server],
                settings: MemcachedSettings {
                    $0.connectTimeout = .seconds(4)
                    ($0.pollTimeout, $0.callTimeout) = (.seconds(2), .seconds(20))
                    ($0.firstPause, $0.longestPause) = (.seconds(80), .seconds(1_200))
                })
            shared = SharedImageCache(
                store,
                settings: SharedCacheSettings {
                    ($0.lookupTimeout, $0.writeTimeout) = (.seconds(2.5), .seconds(20))
                    $0.secrets = [Data("a secret of the fleet".utf8)]
                })
        }

        private func isHit(_ key: String) async -> Bool {
            if case .found = await shared.entry(forKey: key, wait: 0) { true } else { false }
        }

        /// Finds a key, and stores it until it is found.
        private func settle(_ key: String) async throws {
            while await !isHit(key) {
                try Task.checkCancellation()
                if case .missed(let right?) = await shared.entry(forKey: key, wait: 0) {
                    right.store(Data(key.utf8), lifetime: 100_000)
                }
                try await shared.flush()
            }
        }

        /// Stores all keys; returns those that the first server has, and the others.
        private func fill() async throws -> (first: [String], others: [String]) {
            for key in keys { try await settle(key) }
            var (first, others): ([String], [String]) = ([], [])
            for key in keys {
                let hits = store.metrics.nodes[0].hits
                try await settle(key)
                if store.metrics.nodes[0].hits > hits { first.append(key) } else { others.append(key) }
            }
            #expect(first.count >= 15 && others.count >= 30)
            return (first, others)
        }

        @Test(arguments: [SlowProxy.Pace.bytes(1_200), .lines(1_500)])
        func `a shared cache uses the others while a server is slow`(_ pace: SlowProxy.Pace) async throws {
            let (first, others) = try await fill()
            proxy.pace = pace
            let start = ContinuousClock.now
            let (hits, lookups, wasSuspended, wasLeftAlone) = (
                CallCounter(), CallCounter(), CallCounter(), CallCounter()
            )
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        for round in 0..<20 {
                            // Each worker asks for a key of the bad server, then for some of the others.
                            _ = await isHit(first[(round * 6 + worker) % first.count])
                            for number in 0..<10 {
                                let key = others[(round * 10 + number + worker * 7) % others.count]
                                lookups.increment()
                                if await isHit(key) { hits.increment() }
                                if shared.isSuspended { wasSuspended.increment() }
                                if store.metrics.nodes[0].state != .used { wasLeftAlone.increment() }
                            }
                        }
                    }
                }
            }
            print(
                "\(pace): \(hits.value) of \(lookups.value) lookups of the others were hits,",
                "\(wasLeftAlone.value) while it was left alone, in \(ContinuousClock.now - start).")
            #expect(lookups.value == 1_200)
            #expect(hits.value >= lookups.value * 95 / 100)
            #expect(wasSuspended.value == 0)
            #expect(wasLeftAlone.value > 0)
            let metrics = store.metrics.nodes
            #expect(metrics[0].errors["A TIMEOUT OCCURRED", default: 0] >= 3)
            #expect(metrics[0].skipped > 0)
            #expect(metrics[1].skipped == 0 && metrics[2].skipped == 0)
        }

        @Test func `a shared cache is not suspended while one server is stopped`() async throws {
            let (first, others) = try await fill()
            nodes[0].stop()
            defer { nodes[0].resume() }
            for key in first {
                _ = await isHit(key)
                #expect(!shared.isSuspended)
            }
            var hits = 0
            for key in others where await isHit(key) { hits += 1 }
            let counts = shared.counts
            print("\(hits) of \(others.count) lookups of the others were hits; \(counts).")
            #expect(hits >= others.count * 95 / 100)
            #expect(counts.failures > 0)
            #expect(counts.skipped > counts.failures)
        }
    }
#endif
