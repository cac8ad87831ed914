import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

/// The network has an image of width 9; the caches have others.
@Suite(.timeLimit(.minutes(10)))
struct `Fallback caches` {
    let loading: Loading
    let first: ImageCache
    let second: ImageCache
    let url: URL
    var target: ImageCache { loading.cache }

    init() throws {
        loading = try Loading()
        first = try ImageCache(name: "first", cacheDirectoryURL: loading.folder.url)
        second = try ImageCache(name: "second", cacheDirectoryURL: loading.folder.url)
        loading.server.serve("/a.png", try Sample.png(9, 1))
        url = loading.server.url("/a.png")
    }

    private func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveImageResult {
        try await loading.manager.retrieveImage(
            with: url, options: [.fallbackCaches([first, second]), .waitForCache] + options)
    }

    private func width(_ options: KingfisherOptionsInfo = []) async throws -> Int {
        Int(try await retrieve(options).image.size.width)
    }

    private func fill(_ cache: ImageCache, width: Int, processor: String = "") async throws {
        try await cache.storeToDisk(
            Data(Sample.png(width, 1)), forKey: url.cacheKey, processorIdentifier: processor)
    }

    @Test func `fallback caches are looked up in order, and a hit fills the target cache`() async throws {
        try await fill(first, width: 2)
        try await fill(second, width: 3)
        let result = try await retrieve()
        #expect(result.image.size.width == 2 && result.cacheType == .disk)
        #expect(target.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(target.diskStorage.isCached(forKey: url.cacheKey))
        #expect(!first.memoryStorage.isCached(forKey: url.cacheKey))
        await first.clearDiskCache()
        #expect(try await retrieve().cacheType == .memory)
        let restarted = try await loading.restarted().retrieveImage(with: url)
        #expect(restarted.image.size.width == 2 && restarted.cacheType == .disk)
        await target.clearCache()
        #expect(try await width() == 3)
        #expect(loading.server.requestCount() == 0)
    }

    @Test func `fallback caches come after the target cache, and before the network`() async throws {
        try await fill(first, width: 2)
        try await fill(target, width: 1)
        #expect(try await width() == 1)
        await target.clearCache()
        await first.clearCache()
        #expect(try await width() == 9)
        #expect(target.isCached(forKey: url.cacheKey))
        #expect(!first.isCached(forKey: url.cacheKey) && !second.isCached(forKey: url.cacheKey))
    }

    @Test func `fallback caches are looked up in memory too`() async throws {
        try await second.store(Image(bitmap: Sample.bitmap(4, 1)), forKey: url.cacheKey, toDisk: false)
        let result = try await retrieve([.fromMemoryCacheOrRefresh])
        #expect(result.image.size.width == 4 && result.cacheType == .memory)
        try await fill(first, width: 2)
        await target.clearCache()
        #expect(try await width([.cacheLayers(read: .disk)]) == 2)
        await target.clearCache()
        #expect(try await width([.forceRefresh]) == 9)
    }

    @Test(arguments: [CacheLayers.memory, .disk, []])
    func `a hit in a fallback cache fills only the layers that the load writes`(_ layers: CacheLayers)
        async throws
    {
        try await fill(first, width: 2)
        #expect(try await width([.cacheLayers(write: layers)]) == 2)
        #expect(target.memoryStorage.isCached(forKey: url.cacheKey) == layers.contains(.memory))
        #expect(target.diskStorage.isCached(forKey: url.cacheKey) == layers.contains(.disk))
    }

    @Test func `fallback caches are looked up for processed images, then for originals`() async throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 1))
        try await fill(second, width: 3)
        let made = try await retrieve([.processor(processor), .onlyFromCache])
        #expect(made.image.size.width == 6 && made.cacheType == .none)
        #expect(target.isCached(forKey: url.cacheKey, processorIdentifier: processor.identifier))
        #expect(!second.memoryStorage.isCached(forKey: url.cacheKey))
        await target.clearCache()
        try await fill(second, width: 5, processor: processor.identifier)
        #expect(try await width([.processor(processor), .onlyFromCache]) == 5)
    }

    @Test func `fallback caches that have nothing fail a load with onlyFromCache`() async throws {
        let error = await kingfisherError { try await retrieve([.onlyFromCache]) }
        let missing = KingfisherError.cacheError(reason: .imageNotExisting(key: ""))
        #expect(error?.errorCode == missing.errorCode)
    }

    @Test
    func `an original in a fallback cache is processed if the serializer prefers originals`() async throws {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 1))
        try await fill(first, width: 3, processor: processor.identifier)
        let options: KingfisherOptionsInfo = [.processor(processor), .cacheSerializer(serializer)]
        #expect(try await width(options) == 6)
        await first.clearCache()
        target.clearMemoryCache()
        #expect(try await width(options) == 6)
        #expect(loading.server.requestCount() == 0)
    }

    @Test func `fallback caches are read on the calling thread if the option says so`() async throws {
        try await fill(second, width: 3)
        let widths = Recorder<Int>()
        let options: KingfisherOptionsInfo = [
            .fallbackCaches([first, second]), .loadDiskFileSynchronously, .callbackQueue(.untouch),
        ]
        let task = loading.manager.retrieveImage(with: url, options: options) { result in
            widths.append(Int((try? result.get().image.size.width) ?? 0))
        }
        #expect(widths.values == [3] && task == nil)
    }

    @Test func `fallback caches replace nothing that the target cache has got meanwhile`() async throws {
        try await fill(first, width: 2)
        let newer = Image(bitmap: try Sample.bitmap(7, 1))
        let (target, url) = (target, url)
        let serializer = InterruptedSerializer { target.store(newer, forKey: url.cacheKey) }
        let result = try await retrieve([.cacheSerializer(serializer)])
        #expect(result.image.size.width == 2)
        #expect(target.retrieveImageInMemoryCache(forKey: url.cacheKey) === newer)
        #expect(try await target.retrieveImageInDiskCache(forKey: url.cacheKey)?.size.width == 7)
    }

    @Test func `fallback caches are set by the builder too`() async {
        let (url, first) = (url, first)
        await MainActor.run {
            let caches = KF.url(url).fallbackCaches([first]).options.fallbackCaches
            #expect(caches?.count == 1 && caches?.first === first)
        }
    }
}
