import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Prefetching to the disk only` {
    let loading: Loading
    let body: [UInt8]
    let url: URL
    var cache: ImageCache { loading.cache }
    var disk: DiskStorage.Backend<Data> { loading.cache.diskStorage }

    init() throws {
        loading = try Loading()
        body = try Sample.jpeg(40, 20)
        loading.server.serve("/a.jpg", body)
        url = loading.server.url("/a.jpg")
    }

    /// Prefetches, and returns the outcome of each source.
    private func run(
        _ urls: [URL]? = nil, _ options: KingfisherOptionsInfo = []
    ) async -> [ImagePrefetcher.Outcome] {
        let own: KingfisherOptionsInfo = [
            .targetCache(cache), .downloader(loading.downloader), .prefetchToDiskOnly,
        ]
        var outcomes: [ImagePrefetcher.Outcome] = []
        for await progress in ImagePrefetcher(urls: urls ?? [url], options: own + options).run() {
            outcomes.append(progress.outcome)
        }
        return outcomes
    }

    private func isCompleted(_ outcomes: [ImagePrefetcher.Outcome]) -> Bool {
        if case .completed? = outcomes.first { outcomes.count == 1 } else { false }
    }

    private func isSkipped(_ outcomes: [ImagePrefetcher.Outcome]) -> Bool {
        if case .skipped? = outcomes.first { outcomes.count == 1 } else { false }
    }

    private func error(_ outcomes: [ImagePrefetcher.Outcome]) -> KingfisherError? {
        if case .failed(let error)? = outcomes.first { error } else { nil }
    }

    private var hasNothingInMemory: Bool { cache.memoryStorageCacheCost == 0 }

    @Test
    func `a disk-only prefetch stores the bytes as they came, and leaves memory as it is`() async throws {
        let outcomes = await run(nil, [.backgroundDecode, .alsoPrefetchToMemory, .cacheMemoryOnly])
        #expect(isCompleted(outcomes))
        #expect(try disk.value(forKey: url.cacheKey) == Data(body))
        #expect(hasNothingInMemory)
        let result = try await loading.manager.retrieveImage(with: url)
        #expect(result.cacheType == .disk && result.image.size == CGSize(width: 40, height: 20))
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a disk-only prefetch ignores the limits on pixels, because it decodes none`() async throws {
        let limits = KingfisherOptionsInfoItem.decodeLimits(
            DecodeLimits(pixelsPerFrame: 10, storedPixelsPerFrame: 10))
        let outcomes = await run(nil, [limits])
        #expect(isCompleted(outcomes))
        #expect(try disk.value(forKey: url.cacheKey) == Data(body))
        // A load that decodes keeps its own, also if it shares the download.
        await cache.clearCache()
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(with: url, options: [limits])
        }
        #expect(error != nil)
    }

    @Test func `a disk-only prefetch decodes no pixel, whatever the options say`() async throws {
        let codec = HeldCodec(name: "disk")
        let codecs = CodecRegistry()
        codecs.register(codec)
        loading.server.serve("/held", codec.bytes)
        let held = loading.server.url("/held")
        let options: KingfisherOptionsInfo = [
            .codecs(codecs), .backgroundDecode, .preloadAllAnimationData, .cacheOriginalImage,
            .cacheSerializer(FormatIndicatedCacheSerializer.png),
            .processor(ResizingImageProcessor(referenceSize: CGSize(width: 2, height: 2))),
        ]
        #expect(isCompleted(await run([held], options)))
        #expect(codec.decoded.value == 0)
        #expect(try disk.value(forKey: held.cacheKey) == Data(codec.bytes))
    }

    @Test func `a disk-only prefetch stores the original for a processor, in the cache of originals`()
        async throws
    {
        let originals = try ImageCache(name: "originals", cacheDirectoryURL: loading.folder.url)
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8))
        let options: KingfisherOptionsInfo = [.processor(processor), .originalCache(originals)]
        #expect(isCompleted(await run(nil, options)))
        #expect(try originals.diskStorage.value(forKey: url.cacheKey) == Data(body))
        #expect(!cache.isCached(forKey: url.cacheKey))
        #expect(!cache.isCached(forKey: url.cacheKey, processorIdentifier: processor.identifier))
        #expect(isSkipped(await run(nil, options)))
        let result = try await loading.manager.retrieveImage(with: url, options: options + [.waitForCache])
        #expect(result.image.size == CGSize(width: 8, height: 8))
        await originals.clearCache()
        #expect(isSkipped(await run(nil, options)))
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a disk-only prefetch keeps a forced extension`() async throws {
        #expect(isCompleted(await run(nil, [.forcedCacheFileExtension("jpg")])))
        #expect(disk.isCached(forKey: url.cacheKey, forcedExtension: "jpg"))
        #expect(isSkipped(await run(nil, [.forcedCacheFileExtension("jpg")])))
    }

    @Test func `a disk-only prefetch stores nothing that is no image`() async throws {
        let pages = [Array("<html>not found</html>".utf8), [], Array(body.prefix(20))]
        for (index, page) in pages.enumerated() {
            loading.server.serve("/page\(index)", page)
            let page = loading.server.url("/page\(index)")
            #expect(error(await run([page])) != nil)
            #expect(!cache.isCached(forKey: page.cacheKey))
        }
    }

    @Test func `a disk-only prefetch skips what the disk has, but not what only memory has`() async throws {
        try await cache.store(Image(bitmap: Sample.bitmap(3, 3)), forKey: url.cacheKey, toDisk: false)
        #expect(isCompleted(await run()))
        #expect(try disk.value(forKey: url.cacheKey) == Data(body))
        #expect(isSkipped(await run()))
        #expect(cache.retrieveImageInMemoryCache(forKey: url.cacheKey)?.size.width == 3)
        #expect(isCompleted(await run(nil, [.forceRefresh])))
        #expect(loading.server.requestCount() == 2)
    }

    @Test func `a disk-only prefetch shares its transfer with a view that wants another image of it`()
        async throws
    {
        let gate = Gate()
        loading.server.serve("/held.jpg", Reply(body: Payload(body)).hold(.head, until: gate))
        let held = loading.server.url("/held.jpg")
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8))
        async let outcomes = run([held])
        await gate.waitForArrivals(1)
        let sizes = Recorder<CGSize?>()
        let task = loading.manager.retrieveImage(
            with: held, options: [.processor(processor), .waitForCache]
        ) { sizes.append(try? $0.get().image.size) }
        while task?.isInitialized != true, !Task.isCancelled { await Task.yield() }
        gate.open()
        #expect(isCompleted(await outcomes))
        #expect(await sizes.waitFor(count: 1) == [CGSize(width: 8, height: 8)])
        #expect(try disk.value(forKey: held.cacheKey) == Data(body))
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a disk-only prefetch takes the bytes of a file`() async throws {
        let file = loading.folder.file("b.jpg")
        try Data(body).write(to: file)
        #expect(isCompleted(await run([file])))
        #expect(try disk.value(forKey: file.cacheKey) == Data(body))
        #expect(hasNothingInMemory)
    }

    @Test func `a disk-only prefetch reports a store that fails`() async throws {
        // A folder in its place can't be replaced by an entry.
        let path = disk.cacheFileURL(forKey: url.cacheKey).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let failure = error(await run())
        guard case .cacheError(reason: .cannotCreateCacheFile) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
