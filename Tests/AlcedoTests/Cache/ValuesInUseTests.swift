import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Evicted values that the program holds` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    var clock: TestClock { fixture.clock }
    let image: Image

    init() throws {
        fixture = try CacheFixture()
        fixture.cache.memoryStorage.config.keepWhileInUse = true
        image = try Image(decoding: Data(try Sample.png(6, 4)))
    }

    private func storage(cost: Int, keeps: Bool = true) -> MemoryStorage.Backend<Weight> {
        var config = MemoryStorage.Config(totalCostLimit: cost, cleanInterval: 0)
        config.keepWhileInUse = keeps
        return MemoryStorage.Backend(config: config, now: { [clock] in clock.now })
    }

    @Test(arguments: [true, false])
    func `evicted values in use are found and stored again, if the configuration says so`(keeps: Bool) {
        let (storage, held) = (storage(cost: 2, keeps: keeps), Weight(1))
        storage.store(value: held, forKey: "a")
        for key in ["b", "c"] { storage.store(value: Weight(1), forKey: key) }
        #expect(storage.isCached(forKey: "a") == keeps)
        #expect(storage.totalCacheCost() == 2, "what is evicted costs nothing")
        #expect((storage.value(forKey: "a") === held) == keeps)
        #expect(storage.isCached(forKey: "b") != keeps, "its return evicts the least recently used value")
        #expect(storage.isCached(forKey: "c"))
        #expect(storage.totalCacheCost() == 2)
    }

    @Test func `evicted values are not found once the program has released them`() {
        let storage = storage(cost: 1)
        var held: Weight? = Weight(1)
        storage.store(value: held.unsafelyUnwrapped, forKey: "a")
        storage.store(value: Weight(1), forKey: "b")
        #expect(storage.isCached(forKey: "a"))
        held = nil
        #expect(!storage.isCached(forKey: "a"))
        #expect(storage.value(forKey: "a") == nil)
    }

    @Test func `evicted values in use expire when they would have in the cache`() {
        let (storage, held) = (storage(cost: 1), Weight(1))
        storage.store(value: held, forKey: "a", expiration: .seconds(10))
        storage.store(value: Weight(1), forKey: "b")
        clock.advance(by: 9)
        #expect(storage.value(forKey: "a") === held)
        storage.store(value: Weight(1), forKey: "b")
        clock.advance(by: 9)
        #expect(storage.isCached(forKey: "a"), "the lookup has extended it")
        clock.advance(by: 1)
        #expect(!storage.isCached(forKey: "a"))
        #expect(storage.value(forKey: "a") == nil)
    }

    @Test func `evicted values in use are not found after others have replaced them`() {
        let (storage, held) = (storage(cost: 1), Weight(1))
        storage.store(value: held, forKey: "a")
        storage.store(value: Weight(1), forKey: "b")
        storage.store(value: Weight(2), forKey: "a")
        #expect(storage.value(forKey: "a") == nil, "even if what replaces them is too large to be stored")
    }

    @Test func `evicted values in use that cost more than the limit are found and evict nothing`() {
        let (storage, held) = (storage(cost: 4), Weight(4))
        storage.store(value: held, forKey: "a")
        storage.store(value: Weight(1), forKey: "b")
        storage.config.totalCostLimit = 3
        #expect(storage.value(forKey: "a") === held)
        #expect(storage.isCached(forKey: "b"))
        #expect(storage.totalCacheCost() == 1)
    }

    @Test func `evicted values in use are not found once the configuration has stopped that`() {
        let (storage, held) = (storage(cost: 1), Weight(1))
        storage.store(value: held, forKey: "a")
        storage.store(value: Weight(1), forKey: "b")
        storage.config.keepWhileInUse = false
        storage.config.keepWhileInUse = true
        #expect(storage.value(forKey: "a") == nil)
    }

    @Test func `evicted values take no room once they are released`() {
        var (evicted, seen) = (EvictedValues(), [EvictedValues.Object]())
        var table = LRUTable<EvictedValues.Object>()
        var held: [Weight] = []
        for number in 0..<1_000 {
            let value = Weight(1)
            if number < 100 { held.append(value) }
            table.insert(value, forKey: "\(number)", cost: 1)
            if let (object, rest) = table.evictOldest() { evicted.insert(object, rest, seen: &seen) }
        }
        #expect(seen.isEmpty == false)
        seen = []
        evicted.removeExpired(at: clock.now, seen: &seen)
        #expect(evicted.count == 100)
        for number in 1_000..<10_000 {
            table.insert(Weight(1), forKey: "\(number)", cost: 1)
            if let (object, rest) = table.evictOldest() { evicted.insert(object, rest, seen: &seen) }
            #expect(evicted.count <= 201)
        }
        withExtendedLifetime(held) {}
    }

    @Test
    func `evicted values in use are charged what they cost when they return, and followed again`() throws {
        let storage = cache.memoryStorage
        storage.store(value: image, forKey: "a")
        storage.evictAll()
        _ = image.kf.decoded
        #expect(storage.totalCacheCost() == 0)
        #expect(storage.value(forKey: "a") === image)
        #expect(storage.totalCacheCost() == image.cacheCost)

        let lazy = try Image(decoding: Data(try Sample.png(9, 9)))
        storage.removeAll()
        storage.store(value: lazy, forKey: "b")
        storage.evictAll()
        _ = try lazy.decodedPixels(drawnAt: PixelSize(width: 3, height: 3))
        #expect(storage.value(forKey: "b") === lazy)
        _ = lazy.kf.decoded
        #expect(storage.totalCacheCost() == lazy.cacheCost)
    }

    // MARK: - In an image cache

    @Test func `evicted images in use are hits after memory was cleared`() async throws {
        try await cache.store(image, forKey: "a", processorIdentifier: "round")
        cache.clearMemoryCache()
        #expect(cache.memoryStorageCacheCost == 0)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        let found = try await cache.retrieveImage(
            forKey: "a", options: [.processor(ProcessorName(identifier: "round"))])
        #expect(found.cacheType == .memory)
        #expect(found.image === image)
    }

    @Test(arguments: [
        "clearCache", "clearCache async", "removeImage", "removeImages", "expired", "removeAll",
    ])
    func `evicted images in use are not found after an explicit removal`(removal: String) async throws {
        for wasCleared in [true, false] {
            try await cache.store(image, forKey: "a", processorIdentifier: "round")
            if wasCleared { cache.clearMemoryCache() }
            switch removal {
            case "clearCache": cache.clearCache(completion: nil)
            case "clearCache async": await cache.clearCache()
            case "removeImage":
                cache.removeImage(forKey: "a", processorIdentifier: "round", completionHandler: nil)
            case "removeImages": cache.removeImages(forKey: "a", completionHandler: nil)
            case "removeAll": cache.memoryStorage.removeAll()
            default:
                clock.advance(by: 301)
                cache.cleanExpiredMemoryCache()
            }
            let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: "round"))]
            #expect(cache.retrieveImageInMemoryCache(forKey: "a", options: options) == nil)
        }
    }
}
