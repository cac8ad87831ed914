import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `A cache under the hammer` {
    @Test(.timeLimit(.minutes(10)))
    func `an image cache under heavy use calls each completion once, and a clear empties it`() async throws {
        let folder = try TemporaryDirectory()
        let cache = try ImageCache(name: "hammer", cacheDirectoryURL: folder.url)
        cache.memoryStorage.config = .init(totalCostLimit: 20_000, cleanInterval: 0.01)
        cache.diskStorage.config.sizeLimit = 60_000
        let data = Data(try Sample.png(20, 20)) + Data(count: 2000)
        let image = try Image(decoding: Data(try Sample.png(20, 20)))
        let (started, ended) = (CallCounter(), CallCounter())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in 0..<40 {
                        let worker = Worker(cache: cache, image: image, data: data, ended: ended)
                        started.increment(by: worker.run(task &* 31 &+ turn &* 17))
                        await Task.yield()
                    }
                }
            }
        }
        await ended.waitFor(started.value)
        // Everything that was started before has ended, and so has what ended twice.
        await cache.clearCache()
        cache.diskStorage.settle()
        #expect(ended.value == started.value)
        #expect(cache.memoryStorageCacheCost == 0)
        #expect(try await cache.diskStorageSize == 0)
    }
}

private struct Worker {
    let cache: ImageCache
    let image: Image
    let data: Data
    let ended: CallCounter

    /// Does one thing; returns how many completions it will call.
    func run(_ number: Int) -> Int {
        let (key, identifier) = ("\(number % 37)", number % 3 == 0 ? "round" : "")
        let end: @Sendable () -> Void = { ended.increment() }
        switch number % 16 {
        case 0...3:
            cache.store(image, forKey: key, processorIdentifier: identifier, callbackQueue: .untouch) { _ in
                end()
            }
        case 4, 5:
            cache.storeToDisk(data, forKey: key, processorIdentifier: identifier) { _ in end() }
        case 6...9:
            let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: identifier))]
            cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) { _ in end() }
        case 10: cache.removeImage(forKey: key, processorIdentifier: identifier) { end() }
        case 11: cache.removeImages(forKey: key) { end() }
        case 12: cache.imageCachedTypeAsync(forKey: key, callbackQueue: .untouch) { _ in end() }
        case 13: cache.retrieveImageInDiskCache(forKey: key) { _ in end() }
        case 14: cache.calculateDiskStorageSize { _ in end() }
        default:
            if number % 5 == 0 { cache.clearCache { end() } } else { cache.cleanExpiredCache { end() } }
        }
        return 1
    }
}
