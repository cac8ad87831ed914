import AlcedoPixels
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

private let whileRevalidating = [("Cache-Control", "max-age=60, stale-while-revalidate=60")]

@Suite(.timeLimit(.minutes(10)))
struct `A stale image that may be shown while it is revalidated` {
    let fixture: FreshFixture
    var server: LoopbackServer { fixture.server }

    init() throws { fixture = try FreshFixture() }

    /// Loads an image that is stale now, then serves another one.
    private func loadStale(replacedBy tag: String = "\"2\"", width: Int = 6) async throws {
        try fixture.serve(headers: whileRevalidating)
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        try fixture.serve(width: width, tag: tag, headers: whileRevalidating)
    }

    @Test
    func `a stale image is delivered at once, and the new one goes to the handler later`() async throws {
        try await loadStale()
        let told = Recorder<(isRevalidated: Bool, result: ViewResult)>()
        let options: KingfisherOptionsInfo = [.revalidationHandler { told.append((true, $0)) }]
        fixture.manager.retrieveImage(with: server.url("/a"), options: options) { told.append((false, $0)) }
        let results = await told.waitFor(count: 2)
        #expect(results.map(\.isRevalidated) == [false, true])
        let (stale, new) = (try results[0].result.get(), try results[1].result.get())
        #expect(stale.isStale && stale.cacheType == .memory && stale.image.size.width == 4)
        #expect(!new.isStale && new.cacheType == .none && new.image.size.width == 6)
        #expect(try await fixture.load().image.size.width == 6)
        #expect(server.requests().map { $0.header("If-None-Match") } == [nil, "\"1\""])
    }

    @Test func `a stale image is confirmed by a 304 in the background`() async throws {
        try await loadStale(replacedBy: "\"1\"")
        let told = Recorder<ViewResult>()
        let stale = try await fixture.load("/a", [.revalidationHandler { told.append($0) }])
        #expect(stale.isStale)
        let confirmed = try await told.waitFor(count: 1)[0].get()
        #expect(!confirmed.isStale && confirmed.image === stale.image)
        fixture.clock.advance(by: 59)
        #expect(try await !fixture.load().isStale)
        #expect(server.requestCount() == 2)
    }

    @Test func `a stale image stays if the server fails during the revalidation`() async throws {
        try await loadStale()
        server.serve("/a", Reply.status(500))
        let told = Recorder<ViewResult>()
        _ = try await fixture.load("/a", [.revalidationHandler { told.append($0) }])
        #expect(try await told.waitFor(count: 1)[0].get().isStale)
        #expect(fixture.cache.isCached(forKey: server.address("/a")))
    }

    @Test(arguments: [
        ("max-age=60, stale-while-revalidate=60", 120, true),
        ("max-age=60, stale-while-revalidate=60", 121, false), ("max-age=60", 61, false),
        ("max-age=60, stale-while-revalidate", 61, false),
        ("max-age=60, stale-while-revalidate=60, must-revalidate", 61, false),
        ("no-cache, stale-while-revalidate=60", 1, false),
        ("stale-while-revalidate=60", 30, true),
    ])
    func `a stale image is delivered only as long as the server allows`(
        control: String, after: Int, isStale: Bool
    ) async throws {
        try fixture.serve(headers: [("Cache-Control", control)])
        _ = try await fixture.load()
        fixture.clock.advance(by: TimeInterval(after))
        let told = Recorder<ViewResult>()
        let result = try await fixture.load("/a", [.revalidationHandler { told.append($0) }])
        #expect(result.isStale == isStale)
        // The revalidation ends before the server does.
        if isStale { await told.waitFor(count: 1) }
        #expect(server.requestCount() == 2)
    }

    @Test func `a stale image is not revalidated for a load that was cancelled`() async throws {
        try await loadStale()
        let told = Recorder<ViewResult>()
        let queue = ManualQueue()
        let manager = try fixture.restarted()
        let task = manager.retrieveImage(
            with: server.url("/a"), options: [.callbackQueue(.operationQueue(queue))]
        ) { told.append($0) }
        let blocks = await queue.blocks.waitFor(count: 1)
        task?.cancel()
        for block in blocks { block() }
        #expect(await told.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        #expect(server.requestCount() == 1)
    }
}

@Suite(.timeLimit(.minutes(10)))
@MainActor
struct `A view with a stale image` {
    private let fixture: FreshFixture
    private let view = ImageView(surface: HeadlessSurface())
    private let completed = Recorder<ViewResult>()
    private let revalidated = Recorder<ViewResult>()
    private var server: LoopbackServer { fixture.server }

    init() throws { fixture = try FreshFixture() }

    /// Serves another image in place of one that is stale now, once the gate opens.
    private func loadStale(until gate: Gate) async throws {
        try fixture.serve(headers: whileRevalidating)
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        server.serve(
            "/a", Reply(body: try Sample.png(6, 4), headers: whileRevalidating).hold(.head, until: gate))
    }

    private func set(_ path: String, in cache: ImageCache? = nil, _ options: KingfisherOptionsInfo = []) {
        let (completed, revalidated) = (completed, revalidated)
        let own: KingfisherOptionsInfo = [
            .downloader(fixture.downloader), .targetCache(cache ?? fixture.cache),
            .revalidationHandler { revalidated.append($0) },
        ]
        view.kf.setImage(with: server.url(path), options: own + options) { completed.append($0) }
    }

    @Test
    func `a view with a stale image shows the new one when it comes, and completes once`() async throws {
        let gate = Gate()
        try await loadStale(until: gate)
        set("/a")
        #expect(view.image.width == 4)
        gate.open()
        await revalidated.waitFor(count: 1)
        #expect(view.image.width == 6)
        #expect(completed.count == 1)
        #expect(try completed.values[0].get().isStale)
    }

    @Test
    func `a view with a stale image loads a new one with more pixels than may be decoded`() async throws {
        try fixture.serve(headers: whileRevalidating)
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        try fixture.serve(width: 40, tag: "\"2\"")
        set("/a", [.decodeLimits(DecodeLimits(pixelsPerFrame: 100))])
        #expect(try await revalidated.waitFor(count: 1)[0].get().image.pixelSize.width == 40)
    }

    @Test func `a view with a stale image from the disk shows the new one too`() async throws {
        let gate = Gate()
        try await loadStale(until: gate)
        gate.open()
        let cache = try fixture.disk.restarted()
        cache.httpFreshness = .respected
        set("/a", in: cache)
        await revalidated.waitFor(count: 1)
        await completed.waitFor(count: 1)
        #expect(view.image.width == 6)
    }

    @Test func `a view never gets a revalidated image once it shows another image`() async throws {
        let gate = Gate()
        try await loadStale(until: gate)
        try fixture.serve("/b", width: 9)
        set("/a")
        set("/b", [.keepCurrentImageWhileLoading])
        await completed.waitFor(count: 2)
        gate.open()
        await revalidated.waitFor(count: 1)
        #expect(view.image.width == 9)
        #expect(try await fixture.load("/a", [.onlyFromCache]).image.size.width == 6)
    }

    @Test func `a view never gets a revalidated image while it loads another image`() async throws {
        let (first, second) = (Gate(), Gate())
        try await loadStale(until: first)
        server.serve("/b", Reply(body: try Sample.png(9, 4)).hold(.head, until: second))
        set("/a")
        set("/b", [.keepCurrentImageWhileLoading])
        first.open()
        await revalidated.waitFor(count: 1)
        #expect(view.image.width == 4)
        second.open()
        await completed.waitFor(count: 2)
        #expect(view.image.width == 9)
    }

    @Test
    func `a view gets no revalidated image after a cancellation, or over the program's image`() async throws {
        let gate = Gate()
        try await loadStale(until: gate)
        set("/a")
        view.kf.cancelDownloadTask()
        let other = ImageView(surface: HeadlessSurface())
        let revalidated = revalidated
        other.kf.setImage(
            with: server.url("/a"),
            options: [
                .downloader(fixture.downloader), .targetCache(fixture.cache),
                .revalidationHandler { revalidated.append($0) },
            ])
        other.image = try Image.plain(3)
        gate.open()
        await revalidated.waitFor(count: 2)
        #expect(view.image.width == 4 && other.image.width == 3)
    }
}
