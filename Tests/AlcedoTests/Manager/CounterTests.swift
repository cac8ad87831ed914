import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A counter of loads` {
    private let loading: Loading
    private let counter: ImageLoadCounter
    private let observer = EventRecorder()
    private var manager: KingfisherManager { loading.manager }
    private var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        counter = ImageLoadCounter(cache: loading.cache, downloader: loading.downloader)
        loading.manager.observers = [counter, observer]
    }

    @Test func `a counter of loads counts hits by tier, misses and ends`() async throws {
        let png = try Sample.png(4, 4)
        server.serve("/a", png)
        server.serve("/missing", .status(404))
        let url = server.url("/a")
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        _ = try await manager.retrieveImage(with: url)
        loading.cache.clearMemoryCache()
        _ = try await manager.retrieveImage(with: url)
        _ = try? await manager.retrieveImage(with: server.url("/missing"))
        _ = await observer.loads(4)
        let counts = counter.counts
        #expect((counts.started, counts.delivered, counts.failed, counts.inFlight) == (4, 3, 1, 0))
        #expect((counts.memoryHits, counts.diskHits, counts.misses) == (1, 1, 2))
        #expect(counts.receivedBytes == png.count)
        #expect((counts.runningDownloads, counts.queuedDownloads, counts.bytesInFlight) == (0, 0, 0))
    }

    @Test func `a counter of loads tells what runs, what is queued and the bytes in flight`() async throws {
        let rest = Gate()
        let body = try Sample.png(4, 4) + [UInt8](repeating: 0, count: 60_000)
        server.serve("/a", Reply(body: body).hold(.byte(50_000), until: rest))
        loading.downloader.maximumActiveDownloads = 1
        let ended = CallCounter()
        let end: @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void = { _ in ended.increment() }
        manager.retrieveImage(with: server.url("/a"), completionHandler: end)
        // Else the second one might come out of its cache lookup first.
        await rest.waitForArrivals(1)
        let queued = manager.retrieveImage(with: server.url("/b"), completionHandler: end)
        _ = await observer.events.wait { $0.count { $0.stage.name == "waiting" } == 2 }
        while counter.counts.bytesInFlight < 50_000 || counter.counts.queuedDownloads == 0,
            !Task.isCancelled
        {
            await Task.yield()
        }
        let counts = counter.counts
        #expect((counts.runningDownloads, counts.queuedDownloads, counts.inFlight) == (1, 1, 2))
        #expect(counts.bytesInFlight == 50_000)
        queued?.cancel()
        rest.open()
        await ended.waitFor(2)
        _ = await observer.loads(2)
        #expect(counter.counts.cancelled == 1 && counter.counts.delivered == 1)
        #expect(counter.counts.receivedBytes == body.count)
    }

    @Test func `a counter of loads counts what the caches evict`() async throws {
        let cache = loading.cache
        cache.memoryStorage.config.countLimit = 2
        cache.diskStorage.config.sizeLimit = 1 << 20
        for name in ["a", "b", "c"] {
            try await cache.store(Image(data: Data(Sample.png(4, 4)))!, forKey: name, toDisk: false)
        }
        // The tenth reaches the limit.
        for index in 0..<10 {
            try await cache.storeToDisk(Data(count: 105_000), forKey: "\(index)")
            // A listing that runs during a store counts that twice, and the tenth would be dropped.
            cache.diskStorage.settle()
        }
        let counts = counter.counts
        #expect(counts.memoryEvictions == 1)
        #expect(counts.diskEvictions > 0 && counts.diskEvictedBytes >= counts.diskEvictions * 105_000)
        // The last store is counted until its completion has returned.
        while counter.counts.queuedWrites > 0, !Task.isCancelled { await Task.yield() }
        #expect(counter.counts.queuedWriteBytes == 0)
    }

    @Test func `the counts of loads are a value that can be coded`() throws {
        var counts = ImageLoadCounts()
        (counts.started, counts.memoryHits) = (7, 3)
        let decoded = try JSONDecoder().decode(
            ImageLoadCounts.self, from: JSONEncoder().encode(counts))
        #expect(decoded == counts && decoded != ImageLoadCounts())
    }
}
