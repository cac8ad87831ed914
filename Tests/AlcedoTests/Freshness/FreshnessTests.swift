import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A load that respects freshness` {
    let fixture: FreshFixture
    var server: LoopbackServer { fixture.server }
    let small = ResizingImageProcessor(referenceSize: CGSize(width: 2, height: 2))
    let round = RoundCornerImageProcessor(cornerRadius: 1)

    init() throws { fixture = try FreshFixture() }

    @Test
    func `the freshness of a load has one clock, also for what network interceptors pass on`() async throws {
        try fixture.serve(headers: [("Cache-Control", "max-age=60")])
        fixture.manager.networkInterceptors = [Interceptor { request, next in try await next(request) }]
        #expect(try await fixture.load().response?.fetched == fixture.clock.now)
        fixture.clock.advance(by: 59)
        _ = try await fixture.load()
        #expect(server.requestCount() == 1)
        fixture.clock.advance(by: 2)
        let confirmed = try await fixture.load()
        #expect(server.requestCount() == 2 && confirmed.response?.fetched == fixture.clock.now)
        fixture.clock.advance(by: 59)
        #expect(try await fixture.load().cacheType == .memory)
        #expect(server.requestCount() == 2)
    }

    @Test
    func `a 304 comes through network interceptors as a value, which is no failure to retry`() async throws {
        try fixture.serve()
        _ = try await fixture.load("/a", [.cacheOriginalImage])
        fixture.clock.advance(by: 61)
        let seen = Recorder<RetrieveImageResult>()
        fixture.manager.networkInterceptors = [
            Interceptor { request, next in
                for _ in 0..<2 {
                    guard let result = try? await next(request) else { continue }
                    seen.append(result)
                    return result
                }
                return try await next(request)
            }
        ]
        let confirmed = try await fixture.load("/a", [.processor(small)])
        #expect(server.requestCount() == 2)
        #expect(seen.values.map(\.response?.statusCode) == [304])
        #expect(seen.values.first?.image.pixelSize.width == 4)
        #expect(confirmed.image.pixelSize.width == 2 && !confirmed.isStale)
        #expect(confirmed.response?.statusCode == 200)
        #expect(confirmed.response?.fetched == fixture.clock.now)
    }

    @Test func `a cached image is returned while its response is fresh`() async throws {
        try fixture.serve()
        #expect(try await fixture.load().response?.value(forHeader: "etag") == "\"1\"")
        fixture.clock.advance(by: 59)
        let memory = try await fixture.load()
        let disk = try await fixture.load(by: try fixture.restarted())
        #expect([memory.cacheType, disk.cacheType] == [.memory, .disk])
        for hit in [memory, disk] {
            #expect(hit.response?.statusCode == 200)
            #expect(hit.response?.value(forHeader: "Cache-Control") == "max-age=60")
            #expect(hit.response?.fetched == Date(timeIntervalSince1970: 1_900_000_000))
            #expect(!hit.isStale)
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `a load with the option to revalidate asks the server even for a fresh image`() async throws {
        try fixture.serve(headers: [("Cache-Control", "max-age=60, stale-while-revalidate=60")])
        _ = try await fixture.load()
        let option = KingfisherOptionsInfoItem.httpFreshness(.revalidated)
        for (manager, type) in [(fixture.manager, CacheType.memory), (try fixture.restarted(), .disk)] {
            let confirmed = try await fixture.load("/a", [option], by: manager)
            #expect(confirmed.cacheType == type && !confirmed.isStale)
        }
        fixture.clock.advance(by: 61)
        #expect(try await !fixture.load("/a", [option]).isStale)
        #expect(server.requests().map { $0.header("If-None-Match") } == [nil, "\"1\"", "\"1\"", "\"1\""])
        #expect(try await fixture.load("/a", [option, .onlyFromCache]).cacheType == .memory)
        fixture.cache.httpFreshness = .revalidated
        #expect(fixture.cache.httpFreshness == .revalidated)
        try fixture.serve(width: 6, tag: "\"2\"")
        #expect(try await fixture.load().image.size.width == 6)
        #expect(server.requestCount() == 5)
    }

    @Test func `a fresh image is delivered if the server that has to confirm it fails`() async throws {
        try fixture.serve(headers: [("Cache-Control", "max-age=60, must-revalidate")])
        _ = try await fixture.load()
        server.serve("/a", Reply.status(503))
        let unconfirmed = try await fixture.load("/a", [.httpFreshness(.revalidated)])
        #expect(unconfirmed.isStale && unconfirmed.cacheType == .memory)
        fixture.clock.advance(by: 61)
        let error = await kingfisherError { try await fixture.load("/a", [.httpFreshness(.revalidated)]) }
        #expect(error?.isInvalidResponseStatusCode == true)
    }

    @Test func `a load of a stale image asks the server, and a 304 extends all variants`() async throws {
        try fixture.serve()
        _ = try await fixture.load("/a", [.cacheOriginalImage, .processor(small)])
        _ = try await fixture.load("/a", [.processor(round)])
        #expect(server.requestCount() == 1)
        fixture.clock.advance(by: 61)
        let restarted = try fixture.restarted()
        let confirmed = try await fixture.load("/a", [.processor(small)], by: restarted)
        #expect(confirmed.cacheType == .disk && !confirmed.isStale)
        #expect(confirmed.response?.fetched == fixture.clock.now)
        #expect(server.requests().last?.header("If-None-Match") == "\"1\"")
        fixture.clock.advance(by: 59)
        try await fixture.settle(restarted)
        let other = try fixture.restarted()
        #expect(try await fixture.load("/a", [.processor(round)], by: other).cacheType == .disk)
        #expect(try await fixture.load("/a", by: other).cacheType == .disk)
        #expect(server.requestCount() == 2)
    }

    @Test func `a 200 for a stale image replaces all variants`() async throws {
        try fixture.serve()
        _ = try await fixture.load("/a", [.cacheOriginalImage, .processor(small)])
        _ = try await fixture.load("/a", [.processor(round)])
        try fixture.serve(width: 6, tag: "\"2\"")
        fixture.clock.advance(by: 61)
        let replaced = try await fixture.load("/a", [.processor(round)])
        #expect(replaced.image.size.width == 6 && replaced.cacheType == .none)
        for manager in [fixture.manager, try fixture.restarted()] {
            let error = await kingfisherError {
                try await fixture.load("/a", [.processor(small), .onlyFromCache], by: manager)
            }
            #expect(error?.errorCode == 3006)
            #expect(try await fixture.load("/a", [.processor(round)], by: manager).image.size.width == 6)
        }
        #expect(server.requestCount() == 2)
    }

    @Test func `the variants of an image stay if another response has the same bytes`() async throws {
        try fixture.serve(tag: nil)
        _ = try await fixture.load("/a", [.processor(small)])
        _ = try await fixture.load("/a", [.processor(round)])
        #expect(try await fixture.load("/a", [.processor(small)]).cacheType == .memory)
        let restarted = try fixture.restarted()
        _ = try await fixture.load("/a", by: restarted)
        #expect(try await fixture.load("/a", [.processor(small)], by: restarted).cacheType == .disk)
        #expect(server.requestCount() == 3)
    }

    @Test func `a load that respects freshness stores nothing that must not be stored`() async throws {
        try fixture.serve(headers: [("Cache-Control", "no-store")])
        #expect(try await fixture.load().image.size.width == 4)
        #expect(!fixture.cache.isCached(forKey: server.address("/a")))
        try fixture.serve()
        _ = try await fixture.load()
        #expect(fixture.cache.isCached(forKey: server.address("/a")))
        try fixture.serve(headers: [("Cache-Control", "no-store")])
        fixture.clock.advance(by: 61)
        #expect(try await fixture.load().image.size.width == 4)
        #expect(!fixture.cache.isCached(forKey: server.address("/a")))
        try await fixture.settle()
        #expect(!fixture.hasRecord)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `a stale image is delivered if the server fails`(status: Int) async throws {
        try fixture.serve()
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        server.serve("/a", Reply.status(status))
        let other = server.url("/other")
        let stale = try await fixture.load(
            "/a",
            [
                .retryStrategy(DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))),
                .alternativeSources([.network(other)]),
            ])
        #expect(stale.isStale && stale.cacheType == .memory)
        #expect(stale.response?.fetched == Date(timeIntervalSince1970: 1_900_000_000))
        #expect(server.requestCount(path: "/a") == 3)
        #expect(server.requestCount(path: "/other") == 0)
    }

    @Test(arguments: [
        ("max-age=60", true), ("max-age=60, must-revalidate", false), ("no-cache", false),
        ("max-age=60, stale-if-error=1", true), ("max-age=60, stale-if-error=0", false),
    ])
    func `a stale image is delivered offline if the server allows that`(control: String, isAllowed: Bool)
        async throws
    {
        try fixture.serve(headers: [("Cache-Control", control)])
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        let restarted = try fixture.restarted()
        // Not stopped, because another server could get its port.
        server.serve("/a", Reply.nothing(.reset))
        let result = try? await fixture.load(by: restarted)
        #expect(result?.isStale == (isAllowed ? true : nil))
    }

    @Test func `a load fails and removes the stale image if the server has no image any more`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        server.serve("/a", Reply.status(410))
        #expect(await kingfisherError { try await fixture.load() }?.isInvalidResponseStatusCode(410) == true)
        #expect(!fixture.cache.isCached(forKey: server.address("/a")))
    }

    @Test func `a stale image stays cached if what the server has now is no image`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        server.serve("/a", Array("no image".utf8))
        #expect(await kingfisherError { try await fixture.load() } != nil)
        try fixture.serve()
        #expect(try await fixture.load().cacheType == .memory)
        #expect(server.requests().last?.header("If-None-Match") == "\"1\"")
    }

    @Test func `a load from the caches alone gets a stale image`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        #expect(try await !fixture.load("/a", [.onlyFromCache]).isStale)
        fixture.clock.advance(by: 61)
        #expect(try await fixture.load("/a", [.onlyFromCache]).isStale)
        #expect(try await fixture.load("/a", [.onlyFromCache], by: try fixture.restarted()).isStale)
        #expect(server.requestCount() == 1)
    }

    @Test func `a load that respects freshness reads the disk synchronously if asked to`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        let told = Recorder<ViewResult>()
        let manager = try fixture.restarted()
        let source = Source.network(server.url("/a"))
        let options: KingfisherOptionsInfo = [.loadDiskFileSynchronously]
        let task = manager.retrieveImage(with: source, options: options) { told.append($0) }
        #expect(task == nil && told.count == 1)
        fixture.clock.advance(by: 61)
        let later = try fixture.restarted()
        later.retrieveImage(with: source, options: options) { told.append($0) }
        let result = try await told.waitFor(count: 2)[1].get()
        #expect(result.cacheType == .disk && result.response?.fetched == fixture.clock.now)
    }

    @Test func `a cached image without a known response is taken as stale`() async throws {
        try fixture.serve()
        _ = try await fixture.load("/a", [.httpFreshness(.ignored)])
        #expect(!fixture.hasRecord)
        #expect(try await fixture.load().cacheType == .none)
        #expect(server.requests().map { $0.header("If-None-Match") } == [nil, nil])
        #expect(fixture.hasRecord)
        try Data("{".utf8).write(to: URL(filePath: fixture.recordPath()))
        #expect(try await fixture.load(by: try fixture.restarted()).cacheType == .none)
        #expect(server.requests().last?.header("If-None-Match") == nil)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A prefetcher that respects freshness` {
    let fixture: FreshFixture

    init() throws { fixture = try FreshFixture() }

    /// The numbers of skipped, failed and completed sources.
    private func prefetch(_ options: KingfisherOptionsInfo = []) async -> [Int] {
        let told = Recorder<[Int]>()
        ImagePrefetcher(
            urls: [fixture.server.url("/a")],
            options: [.targetCache(fixture.cache), .downloader(fixture.downloader)] + options
        ) { told.append([$0.count, $1.count, $2.count]) }.start()
        return await told.waitFor(count: 1)[0]
    }

    @Test func `a prefetcher skips fresh images, and revalidates stale ones`() async throws {
        try fixture.serve()
        #expect(await prefetch() == [0, 0, 1])
        #expect(await prefetch() == [1, 0, 0])
        #expect(fixture.server.requestCount() == 1)
        #expect(await prefetch([.httpFreshness(.revalidated)]) == [1, 0, 0])
        #expect(fixture.server.requestCount() == 2)
        fixture.clock.advance(by: 61)
        #expect(await prefetch() == [1, 0, 0])
        #expect(fixture.server.requestCount() == 3)
        fixture.clock.advance(by: 61)
        try fixture.serve(width: 6, tag: "\"2\"")
        #expect(await prefetch() == [0, 0, 1])
        #expect(try await fixture.load().image.size.width == 6)
        #expect(fixture.server.requestCount() == 4)
    }

    @Test(arguments: [[], [KingfisherOptionsInfoItem.prefetchToDiskOnly]])
    func `a prefetcher fails for an image that must not be stored`(options: KingfisherOptionsInfo)
        async throws
    {
        try fixture.serve()
        #expect(await prefetch(options) == [0, 0, 1])
        // The 304 forbids it, then the 200.
        try fixture.serve(headers: [("Cache-Control", "no-store")])
        fixture.clock.advance(by: 61)
        #expect(await prefetch(options) == [0, 1, 0])
        #expect(await prefetch(options) == [0, 1, 0])
        #expect(!fixture.cache.isCached(forKey: fixture.server.address("/a")))
        #expect(fixture.server.requestCount() == 3)
    }

    @Test func `a prefetcher says why an image must not be stored`() async throws {
        try fixture.serve(headers: [("Cache-Control", "no-store")])
        let prefetcher = ImagePrefetcher(
            urls: [fixture.server.url("/a")],
            options: [.targetCache(fixture.cache), .downloader(fixture.downloader)])
        for await progress in prefetcher.run() {
            guard case .failed(let error) = progress.outcome else {
                Issue.record("\(progress.outcome)")
                return
            }
            #expect(error.errorCode == 3101 && error.description.contains("server forbids"))
        }
    }
}
