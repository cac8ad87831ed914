import AlcedoPixels
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A cached variant as the placeholder` {
    /// A target that records what it shows; not drawn, so nothing is decoded for it.
    private final class Card: KingfisherHasImageComponent {
        let shown = Recorder<Int?>()
        var image: KFCrossPlatformImage? { didSet { shown.append(image.width) } }
    }

    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()
    private let gate = Gate()
    private let url: URL
    private var view: ImageView { fixture.view }
    private var cache: ImageCache { fixture.loading.cache }

    init() throws {
        fixture = try ViewFixture()
        url = try fixture.serve("/a", width: 30, until: gate)
    }

    private func options(_ more: KingfisherOptionsInfo = []) -> KingfisherOptionsInfo {
        fixture.own + [.showCachedVariantWhileLoading] + more
    }

    private func set(_ url: URL, placeholder: Image? = nil, _ more: KingfisherOptionsInfo = []) {
        let results = results
        view.kf.setImage(with: url, placeholder: placeholder, options: options(more)) { results.append($0) }
    }

    private func keep(_ width: Int, _ identifier: String, of url: URL? = nil) throws {
        let storage = cache.memoryStorage
        storage.finish(
            storage.insert(
                value: try Image.plain(width), forKey: (url ?? self.url).cacheKey, identifier: identifier,
                expiration: nil))
    }

    private func keepOnDisk(_ width: Int, _ identifier: String, of url: URL? = nil) async throws {
        try await cache.storeToDisk(
            Data(try Sample.png(width, 4)), forKey: (url ?? self.url).cacheKey,
            processorIdentifier: identifier)
    }

    @Test
    func `a cached variant is shown at once while the image loads, and then the image is`() async throws {
        try keep(8, "small")
        set(url, placeholder: try Image.plain(2))
        #expect(view.image.width == 8 && view.kf.placeholder is Image)
        gate.open()
        #expect(try await results.waitFor(count: 1)[0].get().image.pixelSize.width == 30)
        #expect(view.image.width == 30 && view.kf.placeholder == nil)
    }

    @Test
    func `a cached variant is not shown unless the option says so, nor instead of a hit`() async throws {
        defer { gate.open() }
        try keep(8, "small")
        view.kf.setImage(with: url, options: fixture.own)
        #expect(view.image == nil)
        try keep(30, "")
        set(url)
        #expect(view.image.width == 30 && fixture.surface.shown.compactMap { $0.width } == [30])
    }

    @Test(arguments: [(5, 8), (8, 8), (9, 24), (25, 60), (100, 60), (0, 60)])
    func `the cached variant shown while loading is the best one for the view's size`(width: Int, best: Int)
        throws
    {
        defer { gate.open() }
        for width in [24, 8, 60] { try keep(width, "\(width)") }
        fixture.surface.size = CGSize(width: width, height: width > 0 ? 4 : 0)
        set(url)
        #expect(view.image.width == best)
    }

    @Test func `a cached variant that memory has not decoded is decoded elsewhere first`() async throws {
        let encoded = try Image(decoding: Data(try Sample.png(8, 4)))
        let storage = cache.memoryStorage
        storage.finish(
            storage.insert(value: encoded, forKey: url.cacheKey, identifier: "small", expiration: nil))
        set(url, placeholder: try Image.plain(2))
        #expect(view.image.width == 2)
        while view.image.width != 8, !Task.isCancelled { await Task.yield() }
        #expect(encoded.decodedBitmap != nil)
        gate.open()
        await results.waitFor(count: 1)
        #expect(view.image.width == 30)
    }

    @Test func `a cached variant comes from disk if memory has none, and then the image`() async throws {
        try await keepOnDisk(8, "small")
        set(url)
        #expect(view.image == nil)
        while view.image == nil, !Task.isCancelled { await Task.yield() }
        #expect(view.image.width == 8)
        gate.open()
        await results.waitFor(count: 1)
        #expect(view.image.width == 30)
    }

    @Test func `a variant shown while loading is neither the original nor the image itself`() async throws {
        gate.open()
        try await keepOnDisk(12, "")
        try await keepOnDisk(8, "small")
        let card = Card()
        let processor = ProcessorName(identifier: "small")
        let results = results
        card.kf.setImage(with: url, options: options([.processor(processor)])) { results.append($0) }
        #expect(try await results.waitFor(count: 1)[0].get().cacheType == .disk)
        await withCheckedContinuation { done in
            var options = KingfisherParsedOptionsInfo(nil)
            options.processor = processor
            cache.readVariant(ofKey: url.cacheKey, size: nil, options: options) {
                #expect($0 == nil)
                done.resume()
            }
        }
        #expect(card.shown.values == [nil, 8])
    }

    @Test(
        arguments: [
            [.forceRefresh], [.cacheLayers(read: .network)],
        ] as [KingfisherOptionsInfo])
    func `a cached variant is not shown by a load that reads no cache`(more: KingfisherOptionsInfo) throws {
        defer { gate.open() }
        try keep(8, "small")
        set(url, more)
        #expect(view.image == nil)
    }

    @Test func `a cached variant does not replace an image that is to be kept`() throws {
        defer { gate.open() }
        try keep(8, "small")
        view.image = try Image.plain(9)
        set(url, [.keepCurrentImageWhileLoading])
        #expect(view.image.width == 9)
        view.image = nil
        set(url, [.keepCurrentImageWhileLoading])
        #expect(view.image.width == 8)
    }

    @Test
    func `a cached variant is not shown once the view loads something else, or has its image`() async throws {
        gate.open()
        let other = try fixture.serve("/b", width: 40)
        try await keepOnDisk(8, "small")
        try await keepOnDisk(9, "small", of: other)
        for _ in 0..<50 {
            let card = Card()
            let results = Recorder<ViewResult>()
            for url in [url, other] {
                card.kf.setImage(with: url, options: options([.cacheLayers(write: [])])) {
                    results.append($0)
                }
            }
            await results.waitFor(count: 2)
            #expect(card.image.width == 40)
            #expect(!card.shown.values.contains(8), "of the first image")
            if let variant = card.shown.values.lastIndex(of: 9) {
                #expect(try variant < #require(card.shown.values.firstIndex(of: 40)))
            }
        }
    }

    @Test
    func `a cached variant stays when the load is cancelled, and goes for a failure image`() async throws {
        defer { gate.open() }
        try keep(8, "small")
        set(url)
        view.kf.cancelDownloadTask()
        await results.waitFor(count: 1)
        #expect(view.image.width == 8)
        fixture.server.serve("/gone", Reply.status(404))
        let gone = fixture.server.url("/gone")
        try keep(9, "small", of: gone)
        set(gone, [.onFailureImage(nil)])
        #expect(view.image.width == 9)
        await results.waitFor(count: 2)
        #expect(view.image == nil)
    }
}
