import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A cached result of a chain's first processors` {
    private let loading: Loading
    private let a = DownsamplingImageProcessor(size: CGSize(width: 40, height: 40))
    private let b = BlurImageProcessor(blurRadius: 2)
    private let c = BlackWhiteProcessor()
    private var url: URL { loading.server.url("/a") }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Fixture.data("jpeg/testorig.jpg"))
    }

    private func load(
        _ processor: any ImageProcessor, _ options: KingfisherOptionsInfo = [.useCachedIntermediates],
        with manager: KingfisherManager? = nil
    ) async throws -> RetrieveImageResult {
        try await (manager ?? loading.manager).retrieveImage(
            with: url, options: [.waitForCache, .processor(processor)] + options)
    }

    private func alone(_ processor: any ImageProcessor) throws -> Bitmap {
        let data = Data(try Fixture.data("jpeg/testorig.jpg"))
        return try #require(processor.process(item: .data(data), options: .init(nil))).bitmap()
    }

    @Test
    func `a chain continues from a cached intermediate in memory, and makes the same pixels`() async throws {
        _ = try await load(a |> b)
        let result = try await load(a |> b |> c)
        #expect(result.cacheType == .none)
        #expect(try result.image.bitmap().hasSamePixels(as: alone(a |> b |> c)))
        #expect(loading.server.requestCount() == 1)
        let key = (a |> b |> c).identifier
        #expect(loading.cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: key) == .memory)
        loading.cache.clearMemoryCache()
        #expect(loading.cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: key) == .disk)
    }

    @Test func `a chain continues from a cached intermediate on disk after a restart`() async throws {
        let png: KingfisherOptionsInfo = [
            .useCachedIntermediates, .cacheSerializer(FormatIndicatedCacheSerializer.png),
        ]
        _ = try await load(a, png)
        let result = try await load(a |> b, png, with: loading.restarted())
        #expect(try result.image.bitmap().hasSamePixels(as: alone(a |> b)))
        #expect(loading.server.requestCount() == 1)
        #expect(
            try await load(a |> b |> c, png + [.onlyFromCache], with: loading.restarted()).cacheType == .none)
    }

    @Test
    func `a chain looks for cached intermediates only by option, and if the caches are read`() async throws {
        _ = try await load(a)
        _ = try await load(a |> b, [])
        #expect(loading.server.requestCount() == 2)
        let more: [KingfisherOptionsInfo] = [
            [.forceRefresh], [.cacheLayers(read: .network)],
        ]
        for (index, options) in more.enumerated() {
            _ = try await load(a |> c, [.useCachedIntermediates] + options)
            #expect(loading.server.requestCount() == 3 + index)
        }
    }

    @Test func `a chain continues from the longest cached intermediate that lacks at most four steps`()
        async throws
    {
        let runs = (0..<7).map { _ in CallCounter() }
        let steps: [any ImageProcessor] = runs.enumerated().map {
            Step(identifier: "step \($0)", runs: $1)
        }
        let chains = (1...7).map { ProcessorChain(steps.prefix($0)) }
        _ = try await load(chains[0])
        _ = try await load(chains[5])
        #expect(loading.server.requestCount() == 2, "five steps after the first are too many")
        _ = try await load(chains[6])
        #expect(loading.server.requestCount() == 2)
        #expect(runs.map(\.value) == [2, 1, 1, 1, 1, 1, 1])
    }

    @Test
    func `a chain uses no intermediate of another scale or of a serializer of originals`() async throws {
        _ = try await load(a)
        _ = try await load(a |> b, [.useCachedIntermediates, .scaleFactor(2)])
        #expect(loading.server.requestCount() == 2)
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let options: KingfisherOptionsInfo = [.useCachedIntermediates, .cacheSerializer(serializer)]
        _ = try await load(c, options)
        _ = try await load(c |> b, options, with: loading.restarted())
        #expect(loading.server.requestCount() == 4)
    }

    @Test func `a cached intermediate that the other processors reject leaves the load to the original`()
        async throws
    {
        _ = try await load(a)
        let error = await kingfisherError { try await load(a |> RefusingProcessor()) }
        #expect(error?.errorCode == 4001)
        #expect(loading.server.requestCount() == 2)
    }

    @Test func `a cached intermediate that is removed meanwhile leaves nothing in the cache`() async throws {
        _ = try await load(a)
        let held = HeldProcessor()
        let chain = a |> held
        let (manager, url) = (loading.manager, url)
        let result = Task {
            try await manager.retrieveImage(
                with: url, options: [.processor(chain), .useCachedIntermediates, .waitForCache])
        }
        await held.gate.waitForArrivals(1)
        try await loading.cache.removeImages(forKey: url.cacheKey)
        held.gate.open()
        #expect(try await result.value.image.pixelSize.width == 40)
        let type = loading.cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: chain.identifier)
        #expect(type == .none)
        #expect(loading.server.requestCount() == 1)
    }

    /// Counts its runs.
    private struct Step: ImageProcessor {
        let identifier: String
        let runs: CallCounter

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            runs.increment()
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
    }
}
