import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Loads of one transfer that store its images at the same time.
@Suite(.timeLimit(.minutes(10)))
struct `A response that several loads adopt` {
    private let cache: ImageCache
    private let disk: CacheFixture
    private let key = "http://127.0.0.1/a"

    init() throws {
        disk = try CacheFixture()
        cache = disk.cache
    }

    private func record(_ number: UInt8) throws -> ResponseRecord {
        let url = try #require(URL(string: key))
        let response = TransportResponse(url: url, status: 200, headers: [("Cache-Control", "max-age=60")])
        let fetched = FetchedResponse(
            request: TransportRequest(url: url), response: response, requested: disk.clock.now,
            received: disk.clock.now, isRedirected: false, isAuthenticated: false, isPrivate: false)
        return try #require(ResponseRecord(fetched, body: Data([number])))
    }

    @Test func `a load that adopts a shared response keeps what another has stored in memory`() async throws {
        let image = try #require(Image(data: Data(Sample.png(2, 2))))
        // So that a removal takes its time.
        for number in 0..<2_000 { cache.memoryStorage.store(value: image, forKey: "\(number)") }
        var options = KingfisherParsedOptionsInfo([.cacheMemoryOnly])
        options.processor = ProcessorName(identifier: "second")
        options.storeConditions.keepsResponse = true
        for round in 0..<100 {
            let record = try record(UInt8(round % 2))
            await withTaskGroup(of: Void.self) { [cache, key, options] group in
                group.addTask { cache.adopt(record, forKey: key, options: options, toDisk: false) }
                group.addTask {
                    while !cache.hasResponse(record, forKey: key), !Task.isCancelled { await Task.yield() }
                    cache.adopt(record, forKey: key, options: options, toDisk: false)
                    cache.storeInMemory(image, forKey: key, options: options)
                }
            }
            let isKept = cache.memoryStorage.isCached(forKey: key.computedKey(with: "second"))
            #expect(isKept, "round \(round)")
        }
    }

    /// The image is of other bytes, and must not look as fresh as the response is.
    @Test(arguments: [false, true])
    func `a response that is adopted while an image is stored is not that of the image`(toDisk: Bool) throws {
        let image = try #require(Image(data: Data(Sample.png(2, 2))))
        let record = try record(1)
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = AdoptingProcessor { [cache, key] in
            cache.adopt(record, forKey: key, options: KingfisherParsedOptionsInfo(nil), toDisk: false)
        }
        cache.store(image, forKey: key, options: options, toDisk: toDisk)
        #expect(cache.memoryStorage.isCached(forKey: key.computedKey(with: "other")))
        #expect(!cache.hasResponse(record, forKey: key))
    }
}

/// Another load that adopts a response when a store reads this processor's identifier first.
private final class AdoptingProcessor: ImageProcessor {
    private let adopt: Lock<(@Sendable () -> Void)?>

    init(_ adopt: @escaping @Sendable () -> Void) { self.adopt = Lock(adopt) }

    var identifier: String {
        adopt.withLock { $0.take() }?()
        return "other"
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        nil
    }
}
