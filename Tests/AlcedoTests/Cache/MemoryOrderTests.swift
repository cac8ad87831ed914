import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `Memory and disk of an image cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let image: Image

    init() throws {
        fixture = try CacheFixture()
        image = try Image(decoding: Data(try Sample.png(6, 4)))
    }

    /// A processor that calls `interruption` whenever its identifier is read, as long as the image is staged for the disk.
    private func interrupted(
        _ interruption: @escaping @Sendable (ImageCache) -> Void
    ) -> KingfisherParsedOptionsInfo {
        let cache = cache
        return KingfisherParsedOptionsInfo([
            .processor(
                Interrupted {
                    guard
                        case .stored = cache.stagedLookup(forKey: "a", identifier: "i", forcedExtension: nil)
                    else { return }
                    interruption(cache)
                })
        ])
    }

    @Test(arguments: [false, true])
    func `memory and disk agree after a removal in the middle of a store`(clears: Bool) async throws {
        let options = interrupted { cache in
            if clears {
                cache.clearCache()
            } else {
                cache.removeImage(forKey: "a", processorIdentifier: "i", completionHandler: nil)
            }
        }
        cache.store(image, forKey: "a", options: options, completionHandler: nil)
        try await cache.flush(within: .seconds(1000))
        let isOnDisk = cache.isOnDisk(forKey: "a", identifier: "i", forcedExtension: nil)
        #expect(cache.memoryStorage.isCached(forKey: "a".computedKey(with: "i")) == isOnDisk)
    }

    @Test func `memory and disk agree after another store in the middle of a store`() async throws {
        let newer = try Image(decoding: Data(try Sample.png(3, 2)))
        let isStored = OnceFlag()
        let options = interrupted { cache in
            guard isStored.set() else { return }
            cache.store(newer, forKey: "a", processorIdentifier: "i", completionHandler: nil)
        }
        cache.store(image, forKey: "a", options: options, completionHandler: nil)
        // The second one is for a store that came while the first image was written.
        for _ in 0..<2 { try await cache.flush(within: .seconds(1000)) }
        let key = "a".computedKey(with: "i")
        let inMemory = cache.memoryStorage.value(forKey: key)
        let onDisk = try #require(try cache.diskStorage.value(forKey: key))
        #expect(try Image(decoding: onDisk).pixelSize == inMemory?.pixelSize)
    }

    @Test func `memory and disk agree whatever threads store and remove at once`() async throws {
        let newer = try Image(decoding: Data(try Sample.png(3, 2)))
        let images = [image, newer]
        let (cache, keys) = (cache, (0..<20).map { "\($0)" })
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<20 {
                        for key in keys {
                            if (round + number) % 3 == 0 {
                                cache.removeImage(forKey: key, completionHandler: nil)
                            } else {
                                cache.store(images[number % 2], forKey: key, completionHandler: nil)
                            }
                        }
                    }
                }
            }
        }
        try await cache.flush(within: .seconds(1000))
        for key in keys {
            guard let inMemory = cache.retrieveImageInMemoryCache(forKey: key) else { continue }
            #expect(
                try cache.diskStorage.value(forKey: key).map { try Image(decoding: $0).pixelSize }
                    == inMemory.pixelSize)
        }
    }
}

/// Does something whenever it is asked for its identifier.
private struct Interrupted: ImageProcessor {
    let interruption: @Sendable () -> Void

    var identifier: String {
        interruption()
        return "i"
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        nil
    }
}
