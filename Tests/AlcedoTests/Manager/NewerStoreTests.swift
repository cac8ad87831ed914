import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// What a cache has older must not replace what the program stores meanwhile.
@Suite(.timeLimit(.minutes(10))) struct `An image that is stored during a load` {
    let loading: Loading
    let url: URL
    let newer: Image
    var target: ImageCache { loading.cache }

    init() throws {
        loading = try Loading()
        url = loading.server.url("/a.png")
        newer = Image(bitmap: try Sample.bitmap(7, 1))
    }

    private func fill(_ cache: ImageCache) async throws {
        try await cache.storeToDisk(Data(Sample.png(2, 1)), forKey: url.cacheKey)
    }

    private func expectNewer(processor: String = "", toDisk: Bool = true) async throws {
        try await target.flush(within: .seconds(1000))
        let key = url.cacheKey.computedKey(with: processor)
        #expect(target.memoryStorage.value(forKey: key) === newer)
        guard toDisk else { return }
        let bytes = try #require(try target.diskStorage.value(forKey: key))
        #expect(try Image(decoding: bytes).pixelSize == newer.pixelSize)
    }

    @Test(arguments: [true, false])
    func `an image that is stored during a load stays when a fallback cache has an older one`(toDisk: Bool)
        async throws
    {
        let fallback = try ImageCache.patient("fallback", in: loading.folder.url)
        try await fill(fallback)
        let (target, newer, key) = (target, newer, url.cacheKey)
        let observer = EventRecorder { event in
            if case .storing = event.stage { target.store(newer, forKey: key, toDisk: toDisk) }
        }
        let result = try await loading.manager.retrieveImage(
            with: url, options: [.fallbackCaches([fallback]), .waitForCache, .observers([observer])])
        #expect(result.image.size.width == 2)
        try await expectNewer(toDisk: toDisk)
    }

    @Test(arguments: [true, false])
    func `an image that is stored during a load stays when an older original is processed`(toDisk: Bool)
        async throws
    {
        try await fill(target)
        let (target, newer, key) = (target, newer, url.cacheKey)
        let processor = Interrupted {
            target.store(newer, forKey: key, processorIdentifier: "i", toDisk: toDisk)
        }
        let result = try await loading.manager.retrieveImage(
            with: url, options: [.processor(processor), .waitForCache])
        #expect(result.image.size.width == 2)
        try await expectNewer(processor: "i", toDisk: toDisk)
    }

    @Test func `an image of an original that was replaced during the load is not cached`() async throws {
        try await fill(target)
        let (target, newer, key) = (target, newer, url.cacheKey)
        let processor = Interrupted { target.store(newer, forKey: key) }
        _ = try await loading.manager.retrieveImage(
            with: url, options: [.processor(processor), .waitForCache])
        try await target.flush(within: .seconds(1000))
        #expect(!target.isCached(forKey: key, processorIdentifier: "i"))
    }
}

/// Does something while it processes.
private struct Interrupted: ImageProcessor {
    let identifier = "i"
    let interruption: @Sendable () -> Void

    init(_ interruption: @escaping @Sendable () -> Void) { self.interruption = interruption }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        interruption()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}
