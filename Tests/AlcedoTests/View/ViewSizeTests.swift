import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `The size of a view` {
    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()

    init() throws { fixture = try ViewFixture() }

    private func set(_ url: URL, _ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        let (results, count) = (results, results.count)
        fixture.view.kf.setImage(with: url, options: fixture.own + options) { results.append($0) }
        return try await results.waitFor(count: count + 1)[count].get()
    }

    private func serve(_ width: Int, _ height: Int) throws -> URL {
        fixture.server.serve("/a", try Sample.png(width, height))
        return fixture.server.url("/a")
    }

    @Test func `an image is reduced to the size of its view, so that it covers the view`() async throws {
        let url = try serve(400, 200)
        fixture.surface.size = CGSize(width: 60, height: 40)
        fixture.surface.scale = 2
        let image = try await set(url, [.downsampleToViewSize]).image
        #expect(image.pixelSize == PixelSize(width: 160, height: 80))
        #expect(try await set(url, [.downsampleToViewSize]).cacheType == .memory)
    }

    @Test func `a view's size is part of the cache key`() async throws {
        let url = try serve(400, 200)
        for (width, wanted) in [(40.0, 80), (80.0, 160)] {
            fixture.surface.size = CGSize(width: width, height: width)
            let result = try await set(url, [.downsampleToViewSize, .cacheOriginalImage])
            #expect(result.image.pixelSize.width == wanted)
        }
        #expect(try await set(url, []).image.pixelSize.width == 400)
        #expect(fixture.server.requestCount() == 1)
    }

    @Test func `a view's size does not enlarge an image, and has no effect before layout`() async throws {
        let url = try serve(40, 20)
        #expect(try await set(url, [.downsampleToViewSize]).image.pixelSize.width == 40)
        fixture.surface.size = CGSize(width: 100, height: 100)
        #expect(try await set(url, [.downsampleToViewSize]).image.pixelSize.width == 40)
        fixture.surface.size = .zero
        let options: KingfisherOptionsInfo = [.downsampleToViewSize, .maximumDecodedPixels(200)]
        #expect(try await set(url, options).image.pixelSize.width == 20)
    }

    @Test
    func `a view's size counts more than the pixel cap, and less than a resizing processor`() async throws {
        let url = try serve(400, 200)
        fixture.surface.size = CGSize(width: 100, height: 100)
        let options: KingfisherOptionsInfo = [.downsampleToViewSize, .maximumDecodedPixels(200)]
        #expect(try await set(url, options).image.pixelSize.width == 200)
        let small = DownsamplingImageProcessor(size: CGSize(width: 10, height: 10))
        #expect(try await set(url, options + [.processor(small)]).image.pixelSize.width == 10)
    }

    @Test func `a processor that is given a view's unknown size keeps all pixels`() async throws {
        let url = try serve(400, 200)
        let size = fixture.view.bounds.size
        let whole = try await set(url, [.processor(DownsamplingImageProcessor(size: size))])
        #expect(whole.image.pixelSize.width == 400)
        fixture.surface.size = CGSize(width: 50, height: 50)
        let options: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: size)), .downsampleToViewSize,
        ]
        #expect(try await set(url, options).image.pixelSize.width == 100)
    }

    @Test
    func `a view's size lets an image be shown that has more pixels than may be decoded`() async throws {
        let url = try serve(400, 200)
        let limits = KingfisherOptionsInfoItem.decodeLimits(DecodeLimits(pixelsPerFrame: 50_000))
        await #expect(throws: KingfisherError.self) { try await set(url, [limits]) }
        fixture.surface.size = CGSize(width: 50, height: 50)
        for (isInMemory, type) in [(false, CacheType.disk), (true, .memory)] {
            if !isInMemory { fixture.loading.cache.clearMemoryCache() }
            let result = try await set(url, [limits])
            #expect(result.cacheType == type)
            #expect(result.image.pixels(drawnAt: PixelSize(width: 50, height: 25))?.size.width == 50)
        }
        await #expect(throws: KingfisherError.self, "a load without a view") {
            try await KingfisherManager.shared.retrieveImage(
                with: .network(url), options: fixture.own + [limits])
        }
    }

    @Test func `the builder has an option to reduce an image to its view's size`() async throws {
        let url = try serve(400, 200)
        fixture.surface.size = CGSize(width: 50, height: 50)
        let results = results
        KF.url(url).targetCache(fixture.loading.cache).downloader(fixture.loading.downloader)
            .downsampleToViewSize().maximumDecodedPixels(1_000_000)
            .onSuccess { results.append(.success($0)) }
            .set(to: fixture.view)
        #expect(try await results.waitFor(count: 1)[0].get().image.pixelSize.width == 100)
    }

    @Test func `both images of a button are reduced to the size of the button`() async throws {
        let url = try serve(400, 200)
        let surface = HeadlessSurface()
        surface.size = CGSize(width: 50, height: 50)
        let (button, results) = (KFCrossPlatformButton(surface: surface), results)
        let options = fixture.own + [.downsampleToViewSize]
        button.kf.setImage(
            with: url, for: .normal, options: options, completionHandler: { results.append($0) })
        #expect(try await results.waitFor(count: 1)[0].get().image.pixelSize.width == 100)
        button.kf.setBackgroundImage(
            with: url, for: .normal, options: options, completionHandler: { results.append($0) })
        #expect(try await results.waitFor(count: 2)[1].get().image.pixelSize.width == 100)
    }

    private final class Card: KFCrossPlatformView, KingfisherHasImageComponent {
        var image: KFCrossPlatformImage?
    }

    private final class Model: KingfisherHasImageComponent {
        var image: KFCrossPlatformImage?
    }

    @Test func `an image is reduced to the size of any view, but not for other objects`() async throws {
        let url = try serve(400, 200)
        let surface = HeadlessSurface()
        surface.size = CGSize(width: 50, height: 50)
        let (card, model, results) = (Card(surface: surface), Model(), results)
        let options = fixture.own + [.downsampleToViewSize]
        card.kf.setImage(with: url, options: options) { results.append($0) }
        #expect(try await results.waitFor(count: 1)[0].get().image.pixelSize.width == 100)
        model.kf.setImage(with: url, options: options) { results.append($0) }
        #expect(try await results.waitFor(count: 2)[1].get().image.pixelSize.width == 400)
    }
}
