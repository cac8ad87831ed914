import AlcedoLocks
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Gives a credential to each server.
private final class Responder: AuthenticationChallengeResponsible, Sendable {
    func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, URLCredential(user: "anna", password: "secret", persistence: .none))
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A shared cache` {
    let fleet: Fleet

    init() throws {
        fleet = try Fleet()
        fleet.server.serve("/a.png", try Sample.png(3, 1))
    }

    private let resizing = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 2))

    @Test func `a shared cache serves a machine what another has loaded, and fills its memory and disk`()
        async throws
    {
        let first = try await fleet.load("/a.png")
        #expect((first.cacheType, first.tier) == (.none, .none))
        let counter = ImageLoadCounter()
        let second = try await fleet.load("/a.png", on: 1, [.observers([counter])])
        #expect((second.cacheType, second.tier) == (.disk, .shared))
        #expect(second.image.size.width == 3)
        #expect(second.data() == Data(try Sample.png(3, 1)))
        #expect((counter.counts.sharedHits, counter.counts.diskHits, counter.counts.misses) == (1, 0, 0))
        let key = fleet.server.url("/a.png").cacheKey
        #expect(fleet[1].cache.memoryStorage.isCached(forKey: key))
        #expect(fleet[1].cache.diskStorage.isCached(forKey: key))
        #expect(try await fleet.load("/a.png", on: 1).tier == .memory)
        #expect(fleet.server.requestCount() == 1)
        #expect(fleet.store.leases == [])
        let counts = fleet[1].shared.counts
        #expect((counts.hits, counts.misses, counts.writes, counts.failures) == (1, 0, 0, 0))
    }

    @Test func `a shared cache keeps processed images and originals`() async throws {
        _ = try await fleet.load("/a.png", [.processor(resizing)])
        #expect(fleet.store.images.count == 2)
        let same = try await fleet.load("/a.png", on: 1, [.processor(resizing)])
        #expect((same.tier, same.image.size.width) == (.shared, 6))
        let original = try await fleet.load("/a.png", on: 1)
        #expect((original.tier, original.image.size.width) == (.shared, 3))
        // Made of the fleet's original, and stored for the others.
        let other = ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 3))
        fleet[1].cache.clearMemoryCache()
        let made = try await fleet.load("/a.png", on: 0, [.processor(other)])
        #expect((made.tier, made.image.size.width) == (.none, 9))
        #expect(fleet.store.images.count == 3)
        #expect(fleet.server.requestCount() == 1)
    }

    @Test func `a shared cache keeps only what its settings say`() async throws {
        let fleet = try Fleet { $0.contents = .processedImages }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
        #expect(fleet.store.images.isEmpty)
        try await fleet.load("/a.png", on: 1, [.processor(resizing)])
        #expect(fleet.store.images.count == 1)
    }

    @Test func `a shared cache leaves out what is too large, without another try`() async throws {
        let fleet = try Fleet { $0.sizeLimit = 20 }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        #expect(try await fleet.load("/a.png").image.size.width == 3)
        #expect(try await fleet.load("/a.png", on: 1).image.size.width == 3)
        #expect(fleet.store.images.isEmpty)
        #expect(fleet.store.leases == [])
        #expect(fleet[0].shared.counts.tooLarge == 1)
        #expect(fleet.server.requestCount() == 2)
    }

    struct Excluded: Sendable {
        let options: KingfisherOptionsInfo
        var isRead = false
        var isWritten = false
    }

    static let excluded = [
        Excluded(options: [.forceRefresh], isWritten: true),
        Excluded(options: [.fromMemoryCacheOrRefresh], isWritten: true),
        Excluded(options: [.cacheMemoryOnly], isRead: true),
        Excluded(options: [.cacheLayers(read: [.memory, .disk, .network])], isWritten: true),
        Excluded(options: [.cacheLayers(write: [.memory, .disk])], isRead: true),
        Excluded(options: [.onlyFromCache], isRead: true),
    ]

    @Test(arguments: excluded)
    func `a shared cache is read and written only if every option allows it`(_ excluded: Excluded)
        async throws
    {
        try await fleet.load("/a.png")
        let before = fleet.store.images
        let result = try await fleet.load("/a.png", on: 1, excluded.options)
        #expect(result.tier == (excluded.isRead ? .shared : .none))
        #expect(fleet.server.requestCount() == (excluded.isRead ? 1 : 2))
        let url = "/a.png"
        try await fleet[0].cache.removeImages(forKey: fleet.server.url(url).cacheKey)
        try await fleet[1].cache.removeImages(forKey: fleet.server.url(url).cacheKey)
        try await fleet[0].cache.flush(within: .seconds(1000))
        try await fleet[1].cache.flush(within: .seconds(1000))
        #expect(!before.isEmpty)
        #expect(fleet.store.images.isEmpty)
        _ = try? await fleet.load(url, on: 1, excluded.options)
        #expect(fleet.store.images.isEmpty == !excluded.isWritten)
        #expect(fleet.store.leases == [])
    }

    @Test func `a load uses the shared cache of its option`() async throws {
        try await fleet.load("/a.png")
        let plain = try ImageCache.patient("plain", in: fleet.folder.file("plain"))
        let options: KingfisherOptionsInfo = [.targetCache(plain), .sharedCache(fleet[1].shared)]
        #expect(try await fleet.load("/a.png", on: 1, options).tier == .shared)
    }

    @Test func `a shared cache forgets what is removed, and all of an epoch`() async throws {
        try await fleet.load("/a.png")
        let key = fleet.server.url("/a.png").cacheKey
        try await fleet[0].cache.removeImage(forKey: key)
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(try await fleet.load("/a.png", on: 1).tier == .none)
        #expect(fleet.server.requestCount() == 2)

        #expect(try await fleet[0].shared.bumpEpoch() == 1)
        #expect(try await fleet[0].shared.bumpEpoch() == 2)
        fleet[0].cache.clearMemoryCache()
        #expect(try await fleet.load("/a.png").tier == .none)
        #expect(fleet.server.requestCount() == 3)
        #expect(fleet.store.images.keys.contains { $0.hasPrefix("al1:default:2:") })
    }

    @Test func `a shared cache does not see a value that is being removed`() async throws {
        try await fleet.load("/a.png")
        let gate = Gate()
        fleet.store.gate.withLock { $0 = gate }
        fleet[0].cache.removeImages(forKey: fleet.server.url("/a.png").cacheKey, completionHandler: {})
        async let result = fleet[0].manager.retrieveImage(with: fleet.server.url("/a.png"))
        #expect(try await result.tier == .none)
        gate.open()
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(fleet.store.images.count == 1)
    }

    @Test func `a shared cache joins no lookup that has read what was removed since`() async throws {
        // As if the store never answered: the lookup before the removal ends after the test.
        let fleet = try Fleet { ($0.epoch, $0.lookupTimeout) = (.fixed(1), .seconds(100_000)) }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
        let gate = Gate()
        fleet.store.answers.withLock { $0 = gate }
        async let before = fleet[1].manager.retrieveImage(with: fleet.server.url("/a.png"))
        await gate.waitForArrivals(1)
        fleet[1].cache.removeImages(forKey: fleet.server.url("/a.png").cacheKey, completionHandler: {})
        let after = try await fleet[1].manager.retrieveImage(with: fleet.server.url("/a.png"))
        #expect(after.tier == .none)
        gate.open()
        _ = try await before
    }

    @Test func `a shared cache counts the age that the first of several caches tells`() async throws {
        fleet.server.serve(
            "/o.png",
            Reply(body: try Sample.png(3, 1)).header("Cache-Control", "max-age=150").header("Age", "100, 5"))
        try await fleet.load("/o.png")
        let expiries = fleet.store.state.withLock { $0.expiries.mapValues(\.self) }
            .filter { !$0.key.hasPrefix("L:") }
        #expect(expiries.count == 1 && expiries.values.allSatisfy { (40...56).contains($0) })
    }

    @Test func `a shared cache replaces nothing that the program has stored during the load`() async throws {
        try await fleet.load("/a.png")
        let (cache, key) = (fleet[1].cache, fleet.server.url("/a.png").cacheKey)
        let newer = Image(bitmap: try Sample.bitmap(7, 1))
        let serializer = InterruptedSerializer { cache.store(newer, forKey: key) }
        let result = try await fleet.load("/a.png", on: 1, [.cacheSerializer(serializer), .waitForCache])
        #expect(result.tier == .shared)
        #expect(cache.retrieveImageInMemoryCache(forKey: key) === newer)
        let bytes = try #require(try cache.diskStorage.value(forKey: key))
        #expect(try Image(decoding: bytes).pixelSize == newer.pixelSize)
    }

    @Test func `a shared cache replaces no original that the program stores while a load makes its image`()
        async throws
    {
        try await fleet.load("/a.png")
        let (cache, key) = (fleet[1].cache, fleet.server.url("/a.png").cacheKey)
        let newer = Data(try Sample.png(9, 9))
        let processor = Interrupted { cache.storeToDisk(newer, forKey: key, completionHandler: nil) }
        let options: KingfisherOptionsInfo = [.processor(processor), .cacheOriginalImage, .waitForCache]
        #expect(try await fleet.load("/a.png", on: 1, options).image.size.width == 3)
        #expect(try cache.diskStorage.value(forKey: key) == newer)
    }

    @Test
    func `a load that waits for the cache ends though its shared image is removed meanwhile`() async throws {
        try await fleet.load("/a.png")
        let (cache, key) = (fleet[1].cache, fleet.server.url("/a.png").cacheKey)
        let processor = Interrupted { cache.removeImages(forKey: key, completionHandler: {}) }
        let options: KingfisherOptionsInfo = [.processor(processor), .cacheOriginalImage, .waitForCache]
        #expect(try await fleet.load("/a.png", on: 1, options).image.size.width == 3)
        #expect(cache.diskStorage.entryNames == [])
    }

    @Test func `a shared cache keeps an epoch that it has read lately, also if the store then fails`() async {
        let epochs = SharedEpoch(.stored, lifetime: .seconds(1000))
        #expect(await epochs.value { 3 } == 3)
        #expect(await epochs.value(readAfter: .now) { nil } == nil)
        #expect(await epochs.value { nil } == 3)
    }

    @Test
    func `a shared cache never goes back to a lower epoch, not even for those who waited for one`() async {
        let (epochs, reads, gate) = (SharedEpoch(.stored), CallCounter(), Gate())
        let waits = (0..<20).map { _ in
            Task {
                await epochs.value {
                    reads.increment()
                    await gate.pass()
                    return 1
                }
            }
        }
        await reads.waitFor(1)
        for _ in 0..<100 { await Task.yield() }
        await epochs.raise(to: 5)
        gate.open()
        for wait in waits { #expect(await wait.value == 5) }
    }

    @Test func `a shared cache has whole seconds for a store, however long a lifetime is`() {
        #expect(
            [0, 0.2, 7.1, 1e12, .infinity].map(\.wholeSeconds) == [1, 1, 8, Int(Int32.max), Int(Int32.max)])
    }

    @Test func `a shared cache encrypts as the disk cache does`() async throws {
        let keys = try AESGCMTransform(keys: ["a": Data(repeating: 7, count: 32)], current: "a")
        let fleet = try Fleet(transform: keys)
        let png = try Sample.png(3, 1)
        fleet.server.serve("/a.png", png)
        try await fleet.load("/a.png")
        let bytes = try #require(fleet.store.images.values.first)
        #expect(bytes.range(of: Data(png.prefix(24))) == nil)
        #expect(try await fleet.load("/a.png", on: 1).tier == .shared)
    }

    @Test
    func `a shared cache holds nothing of one user's, and nothing of this machine alone`() async throws {
        for (path, control) in [
            ("/p.png", "private, max-age=60"), ("/n.png", "no-store"), ("/z.png", "no-cache"),
        ] {
            fleet.server.serve(
                path, Reply(body: try Sample.png(3, 1)).header("Cache-Control", control))
            try await fleet.load(path)
        }
        let file = fleet.folder.file("f.png")
        try Data(Sample.png(3, 1)).write(to: file)
        _ = try await fleet[0].manager.retrieveImage(with: file)
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(fleet.store.images.isEmpty)
        #expect(fleet.store.leases == [])
    }

    private static func field(_ name: String, _ value: String) -> KingfisherOptionsInfoItem {
        .requestModifier(
            AnyModifier { request in
                var request = request
                request.setValue(value, forHTTPHeaderField: name)
                return request
            })
    }

    @Test(
        arguments: ["Authorization", "Cookie", "Proxy-Authorization"],
        [
            ("max-age=60", "", false), ("", "", false), ("public, max-age=60", "", true),
            ("public", "Cookie, Authorization, Proxy-Authorization", false), ("s-maxage=60", "", true),
            ("must-revalidate, max-age=60", "", true), ("private, must-revalidate", "", false),
        ])
    func `a shared cache holds what credentials led to only if its server allows that`(
        field: String, _ response: (control: String, vary: String, isShared: Bool)
    ) async throws {
        let reply = Reply(body: try Sample.png(3, 1)).header("Vary", response.vary)
        fleet.server.serve("/u.png", reply.header("Cache-Control", response.control))
        try await fleet.load("/u.png", [Self.field(field, "anna")])
        #expect(fleet.store.images.isEmpty == !response.isShared)
        #expect(fleet.store.leases == [])
        try await fleet.load("/u.png", on: 1, [Self.field(field, "ben")])
        #expect(fleet.server.requestCount() == (response.isShared ? 1 : 2))
    }

    @Test func `a shared cache holds nothing that a redirect for one user has led to`() async throws {
        fleet.server.serve("/b.png", Reply(body: try Sample.png(3, 1)).header("Cache-Control", "public"))
        for (path, control) in [("/private.png", "private"), ("/store.png", "no-store")] {
            fleet.server.serve(path, Reply.redirect(to: "/b.png").header("Cache-Control", control))
            try await fleet.load(path)
        }
        fleet.server.serve("/c.png", Reply.redirect(to: "/b.png"))
        try await fleet.load("/c.png", [Self.field("Authorization", "anna")])
        #expect(fleet.store.images.isEmpty)
        try await fleet.load("/c.png", on: 1)
        #expect(fleet.store.images.count == 1)
    }

    @Test func `a shared cache holds nothing that was sent to the user of a challenge`() async throws {
        let png = try Sample.png(3, 1)
        fleet.server.route("/u.png") { request in
            request.header("Authorization") == nil
                ? .status(401, headers: [("WWW-Authenticate", #"Basic realm="pictures""#)])
                : Reply(body: png)
        }
        let responder = Responder()
        fleet[0].manager.downloader.authenticationChallengeResponder = responder
        try await fleet.load("/u.png")
        #expect(fleet.store.images.isEmpty)
    }

    @Test(arguments: [
        (Reply.status(404), [field("Authorization", "anna")]), (.status(503), [field("Cookie", "anna")]),
        (Reply(body: Array("no image".utf8)), [field("Authorization", "anna")]),
        (.status(404, headers: [("Cache-Control", "no-store")]), []),
        (.status(404, headers: [("Cache-Control", "private")]), []),
    ])
    func `a shared cache holds no failure of one user's`(reply: Reply, options: KingfisherOptionsInfo)
        async throws
    {
        fleet.server.serve("/u.png", reply)
        _ = try? await fleet.load("/u.png", options)
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(fleet.store.images.isEmpty)
        #expect(fleet.store.leases == [])
    }

    @Test
    func `a shared value is kept as long as its server says, and renewed in its last fifth`() async throws {
        let server = fleet.server
        server.serve("/s.png", Reply(body: try Sample.png(3, 1)).header("Cache-Control", "max-age=1000"))
        server.serve("/l.png", Reply(body: try Sample.png(3, 1)).header("Cache-Control", "max-age=1000000"))
        try await fleet.load("/s.png")
        #expect(fleet.store.state.withLock { $0.expiries.values.contains { (890...1_101).contains($0) } })
        try await fleet.load("/l.png")
        #expect(fleet.store.state.withLock { $0.expiries.values.contains { (77_000...95_041).contains($0) } })

        fleet.clock.advance(by: 885)
        server.serve("/s.png", Reply(body: try Sample.png(4, 1)).header("Cache-Control", "max-age=1000"))
        // Served at once, and renewed for the others.
        #expect(try await fleet.load("/s.png", on: 1).image.size.width == 3)
        await server.waitForRequests(2, path: "/s.png")
        await fleet[1].shared.waitForWrites(1)
        #expect(fleet[1].shared.counts.renewals == 1)
        fleet[0].cache.clearMemoryCache()
        try fleet[0].cache.diskStorage.removeAll()
        #expect(try await fleet.load("/s.png").image.size.width == 4)

        fleet.clock.advance(by: 1_200)
        try await fleet[1].cache.removeImage(forKey: "nothing")
        let other = try ImageCache.patient("other", in: fleet.folder.file("other"))
        other.sharedCache = fleet[1].shared
        #expect(try await fleet.load("/s.png", on: 1, [.targetCache(other)]).tier == .none)
        // What was fresh when it was delivered is not renewed, whatever the time is then.
        #expect(fleet[0].shared.counts.renewals == 0)
    }
}

extension SharedImageCache {
    /// Waits until this many values were stored.
    func waitForWrites(_ count: Int) async {
        while counts.writes < count, !Task.isCancelled { await Task.yield() }
    }
}

/// Does something whenever it makes an image.
private struct Interrupted: ImageProcessor {
    let identifier = "interrupted"
    let interruption: @Sendable () -> Void

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        interruption()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}
