import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A revalidation` {
    let fixture: FreshFixture
    var server: LoopbackServer { fixture.server }

    init() throws { fixture = try FreshFixture() }

    /// Loads an image that is stale now.
    private func loadStale(_ headers: [(String, String)] = [("Cache-Control", "max-age=60")]) async throws {
        try fixture.serve(headers: headers)
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
    }

    private var conditions: [String?] { server.requests().map { $0.header("If-None-Match") } }

    // MARK: - Coalescing

    @Test
    func `a revalidation is shared by loads with its validators, not by one without an image`() async throws {
        try await loadStale()
        let gate = Gate()
        server.route("/a") { request in
            let isConditional = request.header("If-None-Match") != nil
            let png = (try? Sample.png(4, 4)) ?? []
            return (isConditional ? Reply.status(304) : Reply(body: png)).hold(.head, until: gate)
        }
        let observer = EventRecorder()
        let observed: KingfisherOptionsInfo = [.observers([observer])]
        let round = RoundCornerImageProcessor(cornerRadius: 1)
        async let first = fixture.load("/a", observed)
        async let second = fixture.load("/a", observed + [.processor(round)])
        _ = await observer.events.wait { $0.contains { $0.stage.name == "coalesced" } }
        async let forced = fixture.load("/a", [.forceRefresh, .targetCache(fixture.disk.restarted())])
        await server.waitForRequests(3)
        gate.open()
        #expect(try await first.cacheType == .memory)
        #expect(try await [second, forced].map(\.image.size.width) == [4, 4])
        #expect(conditions.compactMap(\.self) == ["\"1\""] && conditions.count == 3)
    }

    @Test func `a revalidation ends each of the coalesced loads`() async throws {
        try await loadStale()
        let gate = Gate()
        server.serve("/a", Reply.status(304).hold(.head, until: gate))
        let told = Recorder<ViewResult>()
        let source = Source.network(server.url("/a"))
        var tasks: [DownloadTask?] = []
        for _ in 0..<3 { tasks.append(fixture.manager.retrieveImage(with: source) { told.append($0) }) }
        await server.waitForRequests(2)
        tasks[1]?.cancel()
        _ = await told.waitFor(count: 1)
        gate.open()
        let results = await told.waitFor(count: 3)
        #expect(results.count { $0.error?.isTaskCancelled == true } == 1)
        #expect(results.compactMap { try? $0.get() }.map(\.cacheType) == [.memory, .memory])
        #expect(server.requestCount() == 2)
    }

    // MARK: - Servers that lie

    @Test func `a revalidation is repeated without conditions if the 304 has another tag`() async throws {
        try await loadStale()
        let png = try Sample.png(6, 4)
        server.route("/a") { request in
            request.header("If-None-Match") == nil
                ? Reply(body: png, headers: [("ETag", "\"2\"")]) : .status(304, headers: [("ETag", "\"2\"")])
        }
        #expect(try await fixture.load().image.size.width == 6)
        #expect(conditions == [nil, "\"1\"", nil])
    }

    @Test func `a load fails if a request without conditions gets a 304`() async throws {
        server.serve("/a", Reply.status(304, headers: [("ETag", "\"1\"")]))
        #expect(await kingfisherError { try await fixture.load() }?.isInvalidResponseStatusCode(304) == true)
        try await loadStale([("Cache-Control", "max-age=60")])
        server.serve("/a", Reply.status(304, headers: [("ETag", "\"2\"")]))
        #expect(await kingfisherError { try await fixture.load() }?.isInvalidResponseStatusCode(304) == true)
        #expect(conditions == [nil, nil, "\"1\"", nil])
    }

    @Test func `a revalidation removes what a 304 forbids to store`() async throws {
        try await loadStale()
        server.serve("/a", Reply.status(304, headers: [("Cache-Control", "no-store")]))
        #expect(try await fixture.load().cacheType == .memory)
        #expect(!fixture.cache.isCached(forKey: server.address("/a")))
    }

    @Test func `a fresh image is revalidated if the clock was set back`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        fixture.clock.advance(by: -3600)
        #expect(try await fixture.load().cacheType == .memory)
        #expect(conditions == [nil, "\"1\""])
        #expect(try await fixture.load().cacheType == .memory)
        #expect(server.requestCount() == 2)
    }

    @Test func `an image whose response has huge headers is not cached`() async throws {
        try fixture.serve(headers: [
            ("Cache-Control", "max-age=60"), ("X-Long", String(repeating: "x", count: 20_000)),
        ])
        _ = try await fixture.load()
        #expect(!fixture.cache.isCached(forKey: server.address("/a")))
        #expect(!fixture.hasRecord)
    }

    // MARK: - Requests

    @Test func `an image is not used for a request that differs in a header of Vary`() async throws {
        server.route("/a") { request in
            let width = request.header("Accept") == "image/webp" ? 6 : 4
            return Reply(
                body: (try? Sample.png(width, 4)) ?? [],
                headers: [
                    ("Cache-Control", "max-age=60"), ("Vary", "Accept, Accept-Encoding"), ("ETag", "\"1\""),
                ])
        }
        let webp = sending("Accept", "image/webp")
        #expect(try await fixture.load().image.size.width == 4)
        #expect(try await fixture.load("/a", [webp]).image.size.width == 6)
        #expect(try await fixture.load("/a", [webp]).cacheType == .memory)
        #expect(try await fixture.load("/a", [webp], by: try fixture.restarted()).cacheType == .disk)
        let error = await kingfisherError { try await fixture.load("/a", [.onlyFromCache]) }
        #expect(error?.errorCode == 3006)
        #expect(conditions == [nil, nil])
    }

    @Test
    func `a revalidation follows redirects each time, with conditions at the image's URL`() async throws {
        try fixture.serve("/target")
        server.serve("/a", Reply.redirect(to: "/target"))
        _ = try await fixture.load()
        #expect(try await fixture.load().cacheType == .memory)
        #expect(server.requests(path: "/a").map { $0.header("If-None-Match") } == [nil, nil])
        #expect(server.requests(path: "/target").map { $0.header("If-None-Match") } == [nil, "\"1\""])
        try fixture.serve("/other", width: 6)
        server.serve("/a", Reply.redirect(to: "/other"))
        #expect(try await fixture.load().image.size.width == 6)
        #expect(server.requests(path: "/other").map { $0.header("If-None-Match") } == [nil])
    }

    @Test func `a revalidation leaves conditions of the program alone`() async throws {
        try await loadStale()
        #expect(
            await kingfisherError { try await fixture.load("/a", [sending("If-None-Match", "\"1\"")]) } != nil
        )
        #expect(conditions == [nil, "\"1\""])
        #expect(server.requests().last?.headers.count { $0.name.lowercased() == "if-none-match" } == 1)
    }

    @Test func `a revalidation is not doubled by an HTTP cache`() async throws {
        let folder = try TemporaryDirectory()
        let configuration = fixture.downloader.sessionConfiguration
        configuration.urlCache = HTTPCache(
            memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: folder.url, timeout: .seconds(1000))
        fixture.downloader.sessionConfiguration = configuration
        try fixture.serve(headers: [("Cache-Control", "max-age=0")])
        let byProtocol = Caching.policy()
        _ = try await fixture.load("/a", [byProtocol])
        #expect(try await fixture.load("/a", [byProtocol]).cacheType == .memory)
        let tags = server.requests().last?.headers.filter { $0.name.lowercased() == "if-none-match" }
        #expect(tags?.map(\.value) == ["\"1\""])
        #expect(server.requestCount() == 2)
    }

    // MARK: - Caches

    @Test func `a revalidation covers originals in a cache of their own`() async throws {
        let folder = try DiskFixture()
        let storage = try DiskStorage.Backend<Data>(
            config: folder.config, now: { [clock = fixture.clock] in clock.now })
        let originals = CacheFixture.cache(storage, clock: fixture.clock)
        let small = ResizingImageProcessor(referenceSize: CGSize(width: 2, height: 2))
        let options: KingfisherOptionsInfo = [.originalCache(originals), .cacheOriginalImage]
        try fixture.serve()
        _ = try await fixture.load("/a", options + [.processor(small)])
        _ = try await fixture.load("/a", options + [.processor(RoundCornerImageProcessor(cornerRadius: 1))])
        #expect(server.requestCount() == 1)
        try fixture.serve(width: 6, tag: "\"2\"")
        fixture.clock.advance(by: 61)
        _ = try await fixture.load("/a", options + [.processor(small)])
        #expect(!originals.memoryStorage.isCached(forKey: server.address("/a")))
        let other = try await fixture.load(
            "/a", options + [.processor(RoundCornerImageProcessor(cornerRadius: 1))])
        #expect(other.image.size.width == 6)
        #expect(server.requestCount() == 2)
    }

    @Test func `no record of a response stays for an image that another store has replaced`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        #expect(fixture.hasRecord)
        try await fixture.cache.store(Image.plain(), forKey: server.address("/a"))
        try await fixture.settle()
        #expect(!fixture.hasRecord)
        #expect(try await fixture.load().image.size.width == 4)
        #expect(conditions == [nil, nil])
    }

    @Test func `no record of a response stays after its images were removed`() async throws {
        try fixture.serve()
        _ = try await fixture.load()
        try await fixture.cache.removeImages(forKey: server.address("/a"))
        #expect(!fixture.hasRecord)
        _ = try await fixture.load()
        await fixture.cache.clearCache()
        _ = try await fixture.load()
        #expect(conditions == [nil, nil, nil])
    }

    @Test func `an image that is in memory only is revalidated without the disk`() async throws {
        try fixture.serve()
        _ = try await fixture.load("/a", [.cacheMemoryOnly])
        #expect(fixture.cache.diskStorage.entryNames.isEmpty)
        #expect(try await fixture.load().cacheType == .memory)
        fixture.clock.advance(by: 61)
        #expect(try await fixture.load("/a", [.fromMemoryCacheOrRefresh]).cacheType == .memory)
        #expect(conditions == [nil, "\"1\""])
    }

    @Test func `a cache that ignores freshness does not revalidate, and stores no response`() async throws {
        fixture.cache.httpFreshness = .ignored
        try fixture.serve(headers: [("Cache-Control", "no-store")])
        let loaded = try await fixture.load()
        #expect(loaded.response?.statusCode == 200)
        fixture.clock.advance(by: 60)
        let cached = try await fixture.load()
        #expect(cached.cacheType == .memory && cached.response == nil && !cached.isStale)
        #expect(server.requestCount() == 1)
        #expect(fixture.cache.diskStorage.entryNames.count == 1)
    }
}
