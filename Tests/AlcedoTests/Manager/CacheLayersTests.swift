import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

/// Memory has an image of width 1, the disk one of width 2, and the network one of width 3.
@Suite(.timeLimit(.minutes(10)))
struct `Cache layers` {
    let loading: Loading
    let url: URL
    var cache: ImageCache { loading.cache }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a.png", try Sample.png(3, 1))
        url = loading.server.url("/a.png")
    }

    private func fillCaches() async throws {
        try await cache.storeToDisk(Data(Sample.png(2, 1)), forKey: url.cacheKey)
        try await cache.store(Image(bitmap: Sample.bitmap(1, 1)), forKey: url.cacheKey, toDisk: false)
    }

    private func width(_ options: KingfisherOptionsInfo) async throws -> Int {
        Int(try await loading.manager.retrieveImage(with: url, options: options).image.size.width)
    }

    struct Reading: Sendable {
        let layers: CacheLayers
        var options: KingfisherOptionsInfo = []

        /// Nil for `imageNotExisting`.
        let width: Int?
    }

    static let readings = [
        Reading(layers: .all, width: 1),
        Reading(layers: [.memory, .network], width: 1),
        Reading(layers: .memory, width: 1),
        Reading(layers: [.disk, .network], width: 2),
        Reading(layers: .disk, width: 2),
        Reading(layers: .network, width: 3),
        Reading(layers: [], width: nil),
        Reading(layers: .all, options: [.forceRefresh], width: 3),
        Reading(layers: .all, options: [.forceRefresh, .onlyFromCache], width: 3),
        Reading(layers: [.memory, .disk], options: [.forceRefresh], width: nil),
        Reading(layers: [.disk, .network], options: [.fromMemoryCacheOrRefresh], width: 3),
        Reading(layers: .disk, options: [.fromMemoryCacheOrRefresh], width: nil),
        Reading(layers: [.disk, .network], options: [.onlyFromCache], width: 2),
        Reading(layers: .network, options: [.onlyFromCache], width: nil),
    ]

    @Test(arguments: readings)
    func `cache layers are read only if every option allows it`(_ reading: Reading) async throws {
        try await fillCaches()
        let options = reading.options + [.cacheLayers(read: reading.layers)]
        guard let expected = reading.width else {
            let error = await kingfisherError { try await width(options) }
            let missing = KingfisherError.cacheError(reason: .imageNotExisting(key: ""))
            #expect(error?.errorCode == missing.errorCode)
            return #expect(loading.server.requestCount() == 0)
        }
        #expect(try await width(options) == expected)
    }

    @Test(arguments: [CacheLayers.all, [.memory, .disk], .memory, .disk, .network, []])
    func `cache layers are written as the option says`(_ layers: CacheLayers) async throws {
        #expect(try await width([.cacheLayers(write: layers), .waitForCache]) == 3)
        #expect(cache.memoryStorage.isCached(forKey: url.cacheKey) == layers.contains(.memory))
        #expect(cache.diskStorage.isCached(forKey: url.cacheKey) == layers.contains(.disk))
    }

    @Test func `cache layers that are not written keep what they have`() async throws {
        try await fillCaches()
        #expect(try await width([.cacheLayers(read: .network, write: .disk), .waitForCache]) == 3)
        #expect(try await width([]) == 1)
        cache.clearMemoryCache()
        #expect(try await width([.cacheLayers(write: [])]) == 3)
        #expect(!cache.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(loading.server.requestCount() == 1)
    }

    @Test
    func `a cache layer is not written if either cacheLayers or cacheMemoryOnly excludes it`() async throws {
        let options: KingfisherOptionsInfo = [.cacheMemoryOnly, .cacheLayers(write: .disk), .waitForCache]
        #expect(try await width(options) == 3)
        #expect(cache.imageCachedType(forKey: url.cacheKey) == .none)
    }

    @Test func `cache layers hold for originals`() async throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 2))
        let processing: KingfisherOptionsInfo = [.processor(processor), .cacheOriginalImage, .waitForCache]
        _ = try await width(processing + [.cacheLayers(write: .memory)])
        #expect(!cache.diskStorage.isCached(forKey: url.cacheKey))
        _ = try await width(processing + [.cacheLayers(read: .network, write: .disk)])
        #expect(cache.diskStorage.isCached(forKey: url.cacheKey))
        #expect(loading.server.requestCount() == 2)

        // The original on disk is processed only if the disk is read, and is kept in memory only if that is written.
        try await cache.removeImage(forKey: url.cacheKey, processorIdentifier: processor.identifier)
        let refused = await kingfisherError {
            try await width([.processor(processor), .cacheLayers(read: .memory)])
        }
        #expect(refused != nil)
        _ = try await width([.processor(processor), .cacheLayers(write: [])])
        #expect(loading.server.requestCount() == 2)
        #expect(!cache.memoryStorage.isCached(forKey: url.cacheKey))
        let found = cache.imageCachedType(forKey: url.cacheKey, processorIdentifier: processor.identifier)
        #expect(found == .none)
    }

    @Test func `a prefetcher that reads the network alone loads again what is cached`() async throws {
        try await fillCaches()
        let completed = Recorder<Int>()
        ImagePrefetcher(
            urls: [url],
            options: [
                .targetCache(cache), .downloader(loading.downloader), .cacheLayers(read: .network),
            ]
        ) { _, _, resources in completed.append(resources.count) }.start()
        #expect(await completed.waitFor(count: 1) == [1])
        #expect(loading.server.requestCount() == 1)
    }

    @MainActor @Test func `cache layers are set by the builder too`() {
        let options = KF.url(url).cacheLayers(read: [.disk, .network], write: .disk).options
        #expect(options.readLayers == [.disk, .network] && options.writeLayers == .disk)
        #expect(KF.url(url).options.readLayers == .all && KF.url(url).options.writeLayers == .all)
    }
}
