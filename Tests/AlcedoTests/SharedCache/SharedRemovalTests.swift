import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A removal from a shared cache` {
    /// Puts values of this many images into the store, as if a machine had stored them.
    private func fill(_ fleet: Fleet, _ count: Int, epoch: Int = 1) {
        let prefix = SharedPrefix(namespace: "default", epoch: epoch)
        fleet.store.state.withLock { state in
            for number in 0..<count {
                state.values[prefix.name(of: SharedKey(.original, of: "\(number)"))] = Data([1])
            }
        }
    }

    @Test func `a removal from a shared cache is not lost, however many wait for a store that hangs`()
        async throws
    {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fill(fleet, 6000)
        let gate = Gate()
        fleet.store.gate.withLock { $0 = gate }
        for number in 0..<6000 { fleet[0].cache.removeImage(forKey: "\(number)", completionHandler: nil) }
        await gate.waitForArrivals(1)
        gate.open()
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(fleet.store.images.count == 0)
    }

    @Test func `a removal from a shared cache is no success while the store fails, and is made up for`()
        async throws
    {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fill(fleet, 1)
        fleet.store.state.withLock { $0.fails = true }
        await #expect(throws: SharedCacheError.self) { try await fleet[0].cache.removeImage(forKey: "0") }
        await #expect(throws: CacheFlushError.self) { try await fleet[0].cache.flush(within: .seconds(1000)) }
        #expect(fleet.store.images.count == 1)
        fleet.store.state.withLock { $0.fails = false }
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(fleet.store.images.count == 0)
    }

    @Test
    func `no handler is told of a removal from a shared cache before the store has ended it`() async throws {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fill(fleet, 1)
        let (gate, removed) = (Gate(), Recorder<Int>())
        fleet.store.gate.withLock { $0 = gate }
        let store = fleet.store
        fleet[0].cache.removeImages(forKey: "0") { removed.append(store.images.count) }
        await gate.waitForArrivals(1)
        try await fleet[0].cache.storeToDisk(Data(), forKey: "after")
        #expect(removed.count == 0)
        gate.open()
        #expect(await removed.waitFor(count: 1) == [0])
    }

    @Test
    func `a removal from a shared cache hides the value from loads until the store has confirmed it`()
        async throws
    {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
        let key = fleet.server.url("/a.png").cacheKey
        fleet.store.state.withLock { $0.fails = true }
        await #expect(throws: SharedCacheError.removalPending) {
            try await fleet[0].cache.removeImages(forKey: key)
        }
        #expect(fleet[0].shared.isRemoving([SharedKey(.original, of: key)]))
        fleet.store.state.withLock { $0.fails = false }
        let result = try await fleet[0].manager.retrieveImage(with: fleet.server.url("/a.png"))
        #expect(result.tier == .none && fleet.server.requestCount() == 2)
    }

    @Test func `a removal from a shared cache is tried again without a flush`() async throws {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fill(fleet, 1)
        fleet.store.state.withLock { $0.fails = true }
        let key = SharedKey(.original, of: "0")
        let results = Recorder<Bool>()
        fleet[0].shared.remove([key]) { results.append($0) }
        #expect(await results.waitFor(count: 1) == [false])
        fleet.store.state.withLock { $0.fails = false }
        // What its timer does.
        fleet[0].shared.retryRemovals()
        await fleet[0].shared.waitForQueue()
        #expect(fleet.store.images.isEmpty && !fleet[0].shared.isRemoving([key]))
    }

    @Test func `a flush waits for the removal of a shared variant that only the disk knows`() async throws {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        let (cache, store) = (fleet[0].cache, fleet.store)
        let image = Image(bitmap: try Sample.bitmap(2, 2))
        try await cache.store(image, forKey: "a", processorIdentifier: "small")
        cache.clearMemoryCache()
        let name = SharedPrefix(namespace: "default", epoch: 1).name(
            of: SharedKey(.image, of: "a", identifier: "small", forcedExtension: nil))
        store.state.withLock { $0.values[name] = Data([1]) }
        let (disk, gate, left) = (Gate(), Gate(), Recorder<Int>())
        cache.writes.append { disk.wait() }
        await disk.waitForArrivals(1)
        cache.removeImages(forKey: "a", completionHandler: {})
        cache.flush(within: .seconds(1000)) { _ in left.append(store.images.count) }
        // What is known without the disk is done.
        await fleet[0].shared.waitForQueue()
        store.gate.withLock { $0 = gate }
        disk.open()
        await gate.waitForArrivals(1)
        try await cache.storeToDisk(Data(), forKey: "after")
        #expect(left.count == 0)
        gate.open()
        #expect(await left.waitFor(count: 1) == [0])
    }

    @Test func `a removal from a shared cache fails with the error of the disk, if there is one too`()
        async throws
    {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        let cache = fleet[0].cache
        // A folder is no entry that can be removed.
        try FileManager.default.createDirectory(
            atPath: cache.diskStorage.path(forKey: "a"), withIntermediateDirectories: true)
        fleet.store.state.withLock { $0.fails = true }
        let disk = Gate()
        cache.writes.append { disk.wait() }
        await disk.waitForArrivals(1)
        async let removal: Void = cache.removeImage(forKey: "a")
        // The store has failed first.
        while !fleet[0].shared.state.withLock({ $0.removals.hasFailures }), !Task.isCancelled {
            await Task.yield()
        }
        await fleet[0].shared.waitForQueue()
        disk.open()
        do {
            try await removal
            Issue.record("neither the disk nor the store has done it")
        } catch {
            #expect(!(error is SharedCacheError), "\(error)")
        }
    }

    /// A machine that lets this many removals wait.
    private func limited(_ fleet: Fleet, to limit: Int, epoch: SharedCacheSettings.Epoch) -> SharedImageCache
    {
        var settings = fleet[0].shared.settings
        settings.epoch = epoch
        let clock = fleet.clock
        return SharedImageCache(
            fleet.store, settings: settings, now: { clock.now }, uptime: { .seconds(clock.elapsed) },
            removalLimit: limit)
    }

    private func remove(_ count: Int, from shared: SharedImageCache) -> Recorder<Bool> {
        let results = Recorder<Bool>()
        for number in 0..<count {
            shared.remove([SharedKey(.original, of: "\(number)")]) { results.append($0) }
        }
        return results
    }

    @Test func `a removal from a shared cache is done by a new epoch if too many wait`() async throws {
        let fleet = try Fleet(1)
        let shared = limited(fleet, to: 10, epoch: .stored)
        #expect(try await shared.bumpEpoch() == 1)
        fill(fleet, 30)
        let gate = Gate()
        fleet.store.gate.withLock { $0 = gate }
        let results = remove(30, from: shared)
        #expect(results.count == 0)
        // Whatever it looks for may have been removed.
        #expect(shared.isRemoving([SharedKey(.original, of: "another")]))
        gate.open()
        #expect(await results.waitFor(count: 30) == Array(repeating: true, count: 30))
        let prefix = await shared.prefix()
        #expect(prefix != nil && prefix != SharedPrefix(namespace: "default", epoch: 1))
        #expect(!shared.isRemoving([SharedKey(.original, of: "0")]))
        // What came before the limit may have been deleted one by one.
        #expect(fleet.store.images.keys.allSatisfy { $0.hasPrefix("al1:default:1:") })
    }

    @Test func `removals from a shared cache all stay due while the epoch cannot be raised`() async throws {
        let fleet = try Fleet(1)
        let shared = limited(fleet, to: 10, epoch: .fixed(1))
        fleet[0].cache.sharedCache = shared
        fill(fleet, 30)
        let gate = Gate()
        fleet.store.gate.withLock { $0 = gate }
        let results = remove(30, from: shared)
        gate.open()
        #expect(await results.waitFor(count: 30).contains(false))
        #expect(shared.isRemoving([SharedKey(.original, of: "another")]))
        await #expect(throws: CacheFlushError.self) { try await fleet[0].cache.flush(within: .seconds(1000)) }
    }

    @Test func `a removal from a shared cache is done by an epoch that the program raises`() async throws {
        let fleet = try Fleet(1)
        fleet.store.state.withLock { $0.fails = true }
        let results = Recorder<Bool>()
        fleet[0].shared.remove([SharedKey(.original, of: "0")]) { results.append($0) }
        #expect(await results.waitFor(count: 1) == [false])
        fleet.store.state.withLock { $0.fails = false }
        try await fleet[0].shared.bumpEpoch()
        #expect(!fleet[0].shared.isRemoving([SharedKey(.original, of: "0")]))
        try await fleet[0].cache.flush(within: .seconds(1000))
    }

    @Test
    func `a removal finds what another machine has stored in the new epoch of a shared cache`() async throws {
        let fleet = try Fleet(2)
        // This machine believes in the epoch before for 5 s.
        _ = await fleet[0].shared.prefix()
        #expect(try await fleet[1].shared.bumpEpoch() == 1)
        fill(fleet, 1)
        try await fleet[0].cache.removeImage(forKey: "0")
        #expect(fleet.store.images.isEmpty)
    }
}

extension SharedImageCache {
    /// Waits until all writes and removals so far have been tried.
    fileprivate func waitForQueue() async {
        await withCheckedContinuation { done in writes.whenDone { done.resume() } }
    }
}
