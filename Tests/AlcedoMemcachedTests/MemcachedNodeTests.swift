#if Memcached
    import AlcedoLocks
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import Alcedo
    @testable import AlcedoCaches
    @testable import AlcedoMemcached

    /// Three servers, some of which fail.
    @Suite(.timeLimit(.minutes(10))) struct `Servers of a memcached store` {
        let nodes: [MemcachedProcess]
        let store: MemcachedStore
        let keys = (0..<300).map { "key-\($0)" }

        init() throws {
            nodes = try (0..<3).map { _ in try MemcachedProcess() }
            store = try Self.store(nodes)
        }

        /// A store whose time limits do not expire on a busy machine, and whose servers are tried soon.
        private static func store(
            _ nodes: [MemcachedProcess], _ configure: (inout MemcachedSettings) -> Void = { _ in }
        ) throws -> MemcachedStore {
            try MemcachedStore(
                servers: nodes.map(\.server),
                settings: MemcachedSettings {
                    $0 = patient
                    ($0.firstPause, $0.longestPause) = (.seconds(0.2), .seconds(1))
                    configure(&$0)
                })
        }

        /// Sets all keys to themselves, and waits until each has its value.
        private func fill() async throws {
            for key in keys { try await store.set(Data(key.utf8), forKey: key, expiringAfter: 100_000) }
        }

        /// The keys that have their value.
        private func present(in store: MemcachedStore) async -> Set<String> {
            var present: Set<String> = []
            for key in keys {
                guard let value = try? await store.value(forKey: key) else { continue }
                #expect(value == Data(key.utf8))
                present.insert(key)
            }
            return present
        }

        private func errors(_ node: Int, of store: MemcachedStore) -> Int {
            store.metrics.nodes[node].errors.values.reduce(0, +)
        }

        /// These servers have responded to all calls.
        private func expectNoErrors(_ nodes: [Int], of store: MemcachedStore) {
            for node in nodes {
                let metrics = store.metrics.nodes[node]
                #expect(metrics.errors.isEmpty && metrics.state == .used, "\(metrics)")
            }
        }

        @Test func `servers that die are suspended after a few calls`() async throws {
            try await fill()
            // None is tried again.
            let store = try Self.store(nodes) {
                ($0.firstPause, $0.longestPause) = (.seconds(1_000), .seconds(1_000))
            }
            #expect(await present(in: store).count == 300)
            nodes[0].kill()
            let left = await present(in: store)
            #expect((100...280).contains(left.count))
            #expect((1...3 + 2 * store.settings.threads).contains(errors(0, of: store)))
            #expect(store.metrics.nodes[0].state == .suspended)
            #expect(store.metrics.nodes[0].skipped > 0)
            expectNoErrors([1, 2], of: store)
        }

        @Test func `servers that die lose their keys to the others, and get them back`() async throws {
            try await fill()
            #expect(await present(in: store).count == 300)
            nodes[0].kill()
            let left = await present(in: store)
            #expect((100...280).contains(left.count))
            try await until { store.metrics.nodes[0].isReplaced }
            for key in keys where !left.contains(key) {
                try await store.set(Data(key.utf8), forKey: key, expiringAfter: 100_000)
            }
            // The others' keys have stayed where they were.
            #expect(await present(in: store).count == 300)
            expectNoErrors([1, 2], of: store)

            try nodes[0].restart()
            try await until { !store.metrics.nodes[0].isReplaced }
            #expect(await present(in: store) == left)
        }

        @Test func `servers that restart cost no call`() async throws {
            try await fill()
            try nodes[0].restart()
            for key in keys { _ = try await store.value(forKey: key) }
            expectNoErrors([0, 1, 2], of: store)
        }

        @Test func `servers that hang are suspended after a few calls`() async throws {
            try await fill()
            // None is tried again. A call of the server that hangs takes this time.
            let store = try Self.store(nodes) {
                $0.pollTimeout = .seconds(10)
                ($0.firstPause, $0.longestPause) = (.seconds(1_000), .seconds(1_000))
            }
            nodes[0].stop()
            defer { nodes[0].resume() }
            let left = await withTaskGroup(of: String?.self) { group in
                for key in keys {
                    group.addTask { (try? await store.value(forKey: key)) == nil ? nil : key }
                }
                return await group.reduce(into: Set<String>()) { if let key = $1 { $0.insert(key) } }
            }
            #expect((100...280).contains(left.count))
            #expect((1...3 + 2 * store.settings.threads).contains(errors(0, of: store)))
            #expect(store.metrics.nodes[0].state == .suspended)
            expectNoErrors([1, 2], of: store)
        }

        @Test func `servers that hang return once they respond`() async throws {
            try await fill()
            let impatient = try Self.store(nodes) { $0.pollTimeout = .seconds(0.2) }
            nodes[0].stop()
            while impatient.metrics.nodes[0].state == .used {
                try Task.checkCancellation()
                _ = await present(in: impatient)
            }
            nodes[0].resume()
            try await until { impatient.metrics.nodes[0].state == .used }
            #expect(await present(in: store).count == 300)
        }

        @Test func `servers that stop at random give no wrong value`() async throws {
            let store = try Self.store(nodes) {
                ($0.pollTimeout, $0.connectTimeout) = (.seconds(0.05), .seconds(0.1))
                ($0.firstPause, $0.longestPause) = (.seconds(0.02), .seconds(0.05))
            }
            let (hits, wrong, finished) = (CallCounter(), CallCounter(), CallCounter())
            @Sendable func goesOn() -> Bool {
                hits.value < 300 || (0..<3).reduce(0) { $0 + errors($1, of: store) } < 20
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
                            try? await store.set(value, forKey: key, expiringAfter: 100_000)
                            guard let found = try? await store.value(forKey: key) else { continue }
                            hits.increment()
                            if found != value { wrong.increment() }
                        }
                    }
                }
                let noise = Thread {
                    while finished.value == 0 {
                        let node = nodes.randomElement()
                        node?.stop()
                        poll(nil, 0, 80)
                        node?.resume()
                        poll(nil, 0, 20)
                    }
                }
                noise.start()
                await group.waitForAll()
                finished.increment()
            }
            for node in nodes { node.resume() }
            #expect(wrong.value == 0)
        }

        @Test
        func `servers lose a value that is removed, also those that had its key for a while`() async throws {
            try await store.setCopies(Data([1]), forKey: "k")
            let confirmed = Recorder<Int>()
            func delete() async throws {
                try await store.deleteCopies(ofKey: "k", from: [0, 1, 2]) { confirmed.append($0) }
            }
            try await delete()
            #expect(try await store.copies(ofKey: "k") == [nil, nil, nil])
            #expect(confirmed.values.sorted() == [0, 1, 2])
            try await store.setCopies(Data([1]), forKey: "k")
            nodes[0].kill()
            // It may come back with a copy.
            await #expect(throws: MemcachedError.self) { try await delete() }
            #expect(try await store.copies(ofKey: "k") == [nil, nil])
            #expect(confirmed.values.dropFirst(3).sorted() == [1, 2])
        }

        @Test func `servers that come back lose what was removed meanwhile`() async throws {
            let store = try Self.store(nodes) { $0.pollTimeout = .seconds(0.2) }
            let folder = try TemporaryDirectory()
            let cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
            let shared = SharedImageCache(
                store,
                settings: SharedCacheSettings {
                    ($0.writeTimeout, $0.lookupTimeout, $0.epoch) = (.seconds(300), .seconds(300), .fixed(1))
                })
            cache.sharedCache = shared
            let (key, prefix) = (
                SharedKey(.original, of: "k"), SharedPrefix(namespace: shared.settings.namespace, epoch: 1)
            )
            let name = prefix.name(of: key)
            try await self.store.setCopies(Data([1]), forKey: name)
            nodes[0].stop()
            await #expect(throws: SharedCacheError.removalPending) {
                try await cache.removeImage(forKey: "k")
            }
            await #expect(throws: CacheFlushError.self) {
                try await cache.flush(within: .seconds(300))
            }
            // The others do not wait for it, but may be too slow for the short time on a busy machine.
            func missing(_ deletion: SharedConfirmations.Deletion) -> [Int]? {
                shared.state.withLock { $0.removals.confirmations(of: key) }?.missing(deletion, of: 3)
            }
            while missing(.value(name)) != [0] || missing(.lease(prefix.leaseName(of: key))) != [0] {
                try Task.checkCancellation()
                try? await cache.flush(within: .seconds(300))
            }
            #expect(try await store.copies(ofKey: name) == [nil, nil])
            // Another machine stores a newer image meanwhile.
            try await Self.store(Array(nodes[1...])).setCopies(Data([2]), forKey: name)
            await #expect(throws: CacheFlushError.self) { try await shared.flush(within: .seconds(300)) }
            #expect(try await Self.store(Array(nodes[1...])).copies(ofKey: name) == [Data([2]), Data([2])])
            nodes[0].resume()
            while (try? await shared.flush(within: .seconds(300))) == nil { try Task.checkCancellation() }
            // Nobody knows that it is newer: the server may have had the lease of a load that began before.
            #expect(try await self.store.copies(ofKey: name) == [nil, nil, nil])
        }

        @Test func `servers that come back with a lease lose the old value that its load has stored`()
            async throws
        {
            func cache(over store: MemcachedStore) -> SharedImageCache {
                SharedImageCache(
                    store,
                    settings: SharedCacheSettings {
                        $0.writeTimeout = .seconds(300)
                        ($0.lookupTimeout, $0.leaseTime) = (.seconds(300), .seconds(300))
                        $0.epoch = .fixed(1)
                    })
            }
            let (loading, removingStore) = (cache(over: store), try Self.store(nodes))
            let removing = cache(over: removingStore)
            let prefix = SharedPrefix(namespace: loading.settings.namespace, epoch: 1)
            let text = try #require(
                keys.first {
                    let key = SharedKey(entry: $0)
                    return store.ring.node(of: prefix.leaseName(of: key)) == 0
                        && store.ring.node(of: prefix.name(of: key)) == 1
                })
            let key = SharedKey(entry: text)
            var right: SharedEntryRight?
            if case .missed(let found) = await loading.entry(forKey: text, wait: 0) { right = found }
            // Only one of the two machines does not reach the server with the lease; nothing tries it again.
            #expect(removingStore.table.trip(0) != nil)
            #expect(
                await withCheckedContinuation { end in removing.remove([key]) { end.resume(returning: $0) } }
                    == false)
            try #require(right).store(Data("old".utf8), lifetime: 1_000)
            right = nil
            try await loading.flush(within: .seconds(300))
            #expect(try await store.value(forKey: prefix.name(of: key)) != nil)

            try await until { removingStore.table.mayProbe(0) }
            removingStore.table.succeeded(0, in: .zero, isProbe: true)
            while (try? await removing.flush(within: .seconds(300))) == nil { try Task.checkCancellation() }
            #expect(try await store.copies(ofKey: prefix.name(of: key)) == [nil, nil, nil])
        }

        @Test func `servers each have a copy of an epoch, of which the highest counts`() async throws {
            try await store.setCopies(Data("4".utf8), forKey: "e")
            #expect(try await store.copies(ofKey: "e") == [Data("4".utf8), Data("4".utf8), Data("4".utf8)])
            try nodes[1].restart()
            #expect(try await store.copies(ofKey: "e").compactMap { $0 }.count == 2)
            nodes[0].kill()
            #expect(try await store.copies(ofKey: "e").compactMap { $0 } == [Data("4".utf8)])
            let shared = SharedImageCache(
                store,
                settings: SharedCacheSettings { ($0.writeTimeout, $0.namespace) = (.seconds(300), "n") })
            #expect(try await shared.bumpEpoch() == 1)
            #expect(try await shared.bumpEpoch() == 2)
            #expect(try await store.copies(ofKey: "al1:n:epoch") == [Data("2".utf8), Data("2".utf8)])
        }
    }
#endif
