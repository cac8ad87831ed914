#if Memcached
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import AlcedoMemcached

    /// A shared cache over three servers, of which the first sends nothing or is suspended, or all are stopped.
    ///
    /// `SlowServerTrials` has a server that is slow.
    @Suite(.timeLimit(.minutes(10))) struct `A shared cache with a bad server` {
        let nodes: [MemcachedProcess]
        let proxy: SlowProxy
        let store: MemcachedStore
        let patient: SharedImageCache
        let keys = (0..<120).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<3).map { _ in try MemcachedProcess() }
            proxy = try SlowProxy(to: nodes[0].port)
            // No server is tried again, and the others have all the time they need.
            store = try MemcachedStore(
                servers: [proxy.server, nodes[1].server, nodes[2].server],
                settings: MemcachedSettings {
                    $0.connectTimeout = .seconds(60)
                    ($0.pollTimeout, $0.callTimeout) = (.seconds(60), .seconds(600))
                    ($0.firstPause, $0.longestPause) = (.seconds(1_000), .seconds(1_000))
                })
            patient = Self.cache(store, lookupTimeout: .seconds(300))
        }

        private static func cache(_ store: MemcachedStore, lookupTimeout: Duration) -> SharedImageCache {
            SharedImageCache(
                store,
                settings: SharedCacheSettings {
                    ($0.epoch, $0.lookupTimeout, $0.writeTimeout) = (.fixed(1), lookupTimeout, .seconds(300))
                    $0.secrets = [Data("a secret of the cluster".utf8)]
                })
        }

        private func isHit(_ key: String, in cache: SharedImageCache) async -> Bool {
            if case .found = await cache.entry(forKey: key, wait: 0) { true } else { false }
        }

        /// Stores all keys; returns those that the first server has, and the others.
        private func fill() async throws -> (first: [String], others: [String]) {
            for key in keys {
                while await !isHit(key, in: patient) {
                    try Task.checkCancellation()
                    if case .missed(let right?) = await patient.entry(forKey: key, wait: 0) {
                        right.store(Data(key.utf8), lifetime: 100_000)
                    }
                    try await patient.flush(within: .seconds(300))
                }
            }
            var (first, others): ([String], [String]) = ([], [])
            for key in keys {
                let hits = store.metrics.nodes[0].hits
                #expect(await isHit(key, in: patient), "\(key)")
                if store.metrics.nodes[0].hits > hits { first.append(key) } else { others.append(key) }
            }
            #expect(first.count >= 15 && others.count >= 30, "\(first.count), \(others.count)")
            return (first, others)
        }

        /// The others' keys are found, and nothing counts for their servers.
        private func expectHits(_ others: [String]) async {
            for key in others { #expect(await isHit(key, in: patient), "\(key)") }
            for node in store.metrics.nodes.dropFirst() {
                #expect(node.skipped == 0 && node.errors.isEmpty, "\(node)")
            }
        }

        @Test func `a shared cache finds what the other servers have while one sends nothing`() async throws {
            let (first, others) = try await fill()
            proxy.hold()
            // Ten failures in a row would suspend a store whose servers all fail.
            let impatient = Self.cache(store, lookupTimeout: .seconds(0.2))
            for key in first {
                #expect(await !isHit(key, in: impatient), "\(key)")
                #expect(!impatient.isSuspended)
            }
            #expect(impatient.counts.failures >= 10)
            await expectHits(others)
        }

        @Test func `a shared cache finds what the other servers have while one is suspended`() async throws {
            let (first, others) = try await fill()
            _ = store.table.trip(0)
            for key in first {
                #expect(await !isHit(key, in: patient), "\(key)")
                #expect(!patient.isSuspended)
            }
            #expect(store.metrics.nodes[0].skipped >= first.count)
            let counts = patient.counts
            #expect(counts.skipped >= first.count && counts.failures == 0, "\(counts)")
            await expectHits(others)
        }

        @Test func `a shared cache is suspended if all servers are stopped`() async throws {
            let store = try MemcachedStore(
                servers: nodes.map(\.server),
                settings: MemcachedSettings {
                    $0.connectTimeout = .seconds(0.2)
                    ($0.pollTimeout, $0.callTimeout) = (.seconds(0.1), .seconds(20))
                    ($0.firstPause, $0.longestPause) = (.seconds(1_000), .seconds(1_000))
                })
            let shared = Self.cache(store, lookupTimeout: .seconds(0.3))
            for node in nodes { node.stop() }
            defer { for node in nodes { node.resume() } }
            while !shared.isSuspended {
                try Task.checkCancellation()
                for key in keys where !shared.isSuspended { _ = await shared.entry(forKey: key, wait: 0) }
            }
            #expect(store.metrics.nodes.map(\.state) == [.suspended, .suspended, .suspended])
        }
    }
#endif
