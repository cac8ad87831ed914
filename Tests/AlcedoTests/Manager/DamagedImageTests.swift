import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Images with sound headers, whose pixels can't be decoded.
@Suite(.timeLimit(.minutes(10)))
struct `An image whose pixels are damaged` {
    private let loading: Loading
    private var server: LoopbackServer { loading.server }
    private var url: URL { server.url("/a") }

    init() throws {
        loading = try Loading()
        loading.server.serve(
            "/a", Reply(body: try Sample.damagedPNG(40, 30)), Reply(body: try Sample.png(41, 30)))
    }

    private func load(
        _ options: KingfisherOptionsInfo = [], by manager: KingfisherManager? = nil
    ) async throws -> RetrieveImageResult {
        try await (manager ?? loading.manager).retrieveImage(with: url, options: [.waitForCache] + options)
    }

    private var isCached: Bool { loading.cache.isCached(forKey: url.cacheKey) }

    @Test(arguments: ["png", "gif"])
    func `a damaged image fails a load that decodes it, and reaches no cache`(format: String) async throws {
        if format == "gif" {
            let gif = try Fixture.data("gif/wedge.gif")
            var damaged = gif
            // The first frame's codes have a length that none may have.
            damaged[407] = 12
            server.serve("/a", Reply(body: damaged), Reply(body: gif))
        }
        let error = try #require(await kingfisherError { try await load([.backgroundDecode]) })
        #expect(error.errorCode == 4001 && error.damage?.isCorruption == true)
        #expect(!isCached)
        #expect(try await load([.backgroundDecode]).cacheType == .none)
        #expect(isCached)
        #expect(server.requestCount() == 2)
    }

    @Test func `a damaged image is a failure that is remembered`() async throws {
        loading.downloader.failureMemory = FailureMemory()
        #expect(await kingfisherError { try await load([.backgroundDecode]) } != nil)
        #expect(await kingfisherError { try await load() }?.rememberedFailure != nil)
    }

    @Test func `a damaged image fails a load from a data provider`() async throws {
        let provider = RawImageDataProvider(data: Data(try Sample.damagedPNG(40, 30)), cacheKey: "raw")
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(with: .provider(provider), options: [.backgroundDecode])
        }
        #expect(error?.errorCode == 4001)
        #expect(!loading.cache.isCached(forKey: "raw"))
    }

    @Test func `a damaged image leaves memory and disk when it is first drawn`() async throws {
        let image = try await load().image
        #expect(isCached)
        #expect(throws: CodecError.self) { try image.bitmap() }
        try await loading.cache.flush(within: .seconds(1000))
        #expect(!isCached)
        #expect(try await load().image.pixelSize.width == 41)
    }

    @Test
    func `a damaged image leaves the disk after a restart, when it is drawn smaller too`() async throws {
        _ = try await load()
        let later = try loading.restarted()
        let result = try await load(by: later)
        #expect(result.cacheType == .disk)
        #expect(throws: CodecError.self) {
            try result.image.decodedPixels(drawnAt: PixelSize(width: 10, height: 5))
        }
        try await later.cache.flush(within: .seconds(1000))
        #expect(!later.cache.isCached(forKey: url.cacheKey))
        #expect(try await load(by: later).image.pixelSize.width == 41)
    }

    @Test(
        arguments: [
            [.backgroundDecode],
            [.processor(ResizingImageProcessor(referenceSize: CGSize(width: 4, height: 4)))],
        ] as [KingfisherOptionsInfo])
    func `a damaged image on disk is loaded from its source at once`(options: KingfisherOptionsInfo)
        async throws
    {
        _ = try await load()
        let later = try loading.restarted()
        let result = try await load(options, by: later)
        #expect(result.cacheType == .none)
        #expect(server.requestCount() == 2)
        _ = try result.image.bitmap()
        try await later.cache.flush(within: .seconds(1000))
        #expect(try await load(options, by: later).cacheType.cached)
    }

    @Test func `a damaged image on disk fails a load once if its source has not healed`() async throws {
        server.serve("/a", try Sample.damagedPNG(40, 30))
        _ = try await load()
        let later = try loading.restarted()
        #expect(await kingfisherError { try await load([.backgroundDecode], by: later) }?.errorCode == 4001)
        #expect(server.requestCount() == 2)
        try await later.cache.flush(within: .seconds(1000))
        #expect(!later.cache.isCached(forKey: url.cacheKey))
    }

    private func prefetch(_ options: KingfisherOptionsInfo = []) async -> [Bool] {
        let all = options + [.targetCache(loading.cache), .downloader(loading.downloader)]
        var outcomes: [Bool] = []
        for await progress in ImagePrefetcher(urls: [url], options: all).run() {
            outcomes.append(progress.completedCount == 1)
        }
        return outcomes
    }

    @Test func `a damaged image is not prefetched`() async throws {
        #expect(await prefetch() == [false])
        #expect(!isCached)
        #expect(await prefetch() == [true])
        #expect(isCached)
        #expect(server.requestCount() == 2)
    }

    @Test
    func `a damaged image that was prefetched as bytes is loaded from its source when shown`() async throws {
        #expect(await prefetch([.prefetchToDiskOnly]) == [true])
        #expect(try await load([.backgroundDecode]).image.pixelSize.width == 41)
        #expect(server.requestCount() == 2)
    }

    @Test
    func `damage of an image is awaited until all pixels have been decoded, and no longer`() async throws {
        server.serve("/a", try Sample.png(40, 30))
        let image = try await load().image
        let damage = try #require(image.encoded).damage
        #expect(damage.handlerCount == 1)
        _ = try image.decodedPixels(drawnAt: PixelSize(width: 10, height: 5))
        #expect(damage.handlerCount == 1)
        _ = try image.bitmap()
        #expect(damage.handlerCount == 0)
        damage.whenDamaged { Issue.record("the image is sound") }
        #expect(damage.handlerCount == 0)
    }

    @Test func `a damaged image does not stay in the HTTP cache`() async throws {
        let fixture = try Caching()
        let fresh = [("Cache-Control", "max-age=3600")]
        fixture.server.serve(
            "/a", Reply(body: try Sample.damagedPNG(40, 30), headers: fresh),
            Reply(body: try Sample.png(41, 30), headers: fresh))
        let downloader = fixture.downloader()
        #expect(await fixture.width("/a", by: downloader, [Caching.policy(), .backgroundDecode]) == nil)
        #expect(await fixture.width("/a", by: downloader, [Caching.policy(), .backgroundDecode]) == 41)
    }

    @Test func `a damaged image does not stay in the HTTP cache if no other cache has it`() async throws {
        let fixture = try Caching()
        let fresh = [("Cache-Control", "max-age=3600")]
        fixture.server.serve(
            "/a", Reply(body: try Sample.damagedPNG(40, 30), headers: fresh),
            Reply(body: try Sample.png(41, 30), headers: fresh))
        let manager = KingfisherManager(downloader: fixture.downloader(), cache: loading.cache)
        func image() async throws -> KFCrossPlatformImage {
            try await manager.retrieveImage(
                with: fixture.server.url("/a"),
                options: [Caching.policy(), .cacheLayers(read: .all, write: [])]
            ).image
        }
        let damaged = try await image()
        #expect(damaged.pixelSize.width == 40)
        #expect(throws: CodecError.self) { try damaged.bitmap() }
        #expect(try await image().pixelSize.width == 41)
    }
}
