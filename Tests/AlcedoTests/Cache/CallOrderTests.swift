import AlcedoPixels
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Each lookup is made right after the call that it has to see, while the disk is still busy with that.
@Suite(.timeLimit(.minutes(10)))
struct `Lookups in an image cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let png: Data
    let newer: Data

    init() throws {
        fixture = try CacheFixture()
        png = Data(try Sample.png(6, 4))
        newer = Data(try Sample.png(3, 2))
    }

    /// Keeps the queue that writes busy until the gate opens.
    private func blockWrites() -> Gate {
        let gate = Gate()
        cache.writes.append { gate.wait() }
        return gate
    }

    @Test func `a lookup sees a removal that has not reached the disk`() async throws {
        for number in 0..<40 {
            let key = "\(number)"
            try await cache.storeToDisk(png, forKey: key)
            let gate = blockWrites()
            cache.removeImage(forKey: key, completionHandler: nil)
            #expect(cache.imageCachedType(forKey: key) == .none)
            #expect(await cache.imageCachedTypeAsync(forKey: key) == .none)
            #expect(cache.cacheFileURLIfOnDisk(forKey: key) == nil)
            #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
            #expect(try await cache.retrieveImageInDiskCache(forKey: key) == nil)
            #expect(!cache.memoryStorage.isCached(forKey: key))
            gate.open()
            #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
        }
    }

    @Test
    func `a lookup sees a store that has not reached the disk, and not what it replaces`() async throws {
        for number in 0..<40 {
            let key = "\(number)"
            try await cache.storeToDisk(png, forKey: key)
            let gate = blockWrites()
            cache.storeToDisk(newer, forKey: key, completionHandler: nil)
            #expect(cache.isCached(forKey: key))
            #expect(await cache.imageCachedTypeAsync(forKey: key) == .disk)
            #expect(try await cache.retrieveImageInDiskCache(forKey: key)?.pixelSize.width == 3)
            let found = try await cache.retrieveImage(forKey: key)
            #expect(found.cacheType == .disk && found.image?.pixelSize.width == 3)
            gate.open()
            cache.clearMemoryCache()
            #expect(try await cache.retrieveImage(forKey: key).image?.pixelSize.width == 3)
        }
    }

    @Test func `a lookup sees the last of many calls that overlap`() async throws {
        for number in 0..<40 {
            let key = "\(number)"
            cache.storeToDisk(png, forKey: key, completionHandler: nil)
            cache.removeImages(forKey: key, completionHandler: nil)
            cache.storeToDisk(png, forKey: key, completionHandler: nil)
            cache.clearCache(completion: nil)
            cache.storeToDisk(newer, forKey: key, completionHandler: nil)
            #expect(try await cache.retrieveImage(forKey: key).image?.pixelSize.width == 3)
            cache.storeToDisk(png, forKey: key, completionHandler: nil)
            cache.clearDiskCache {}
            cache.clearMemoryCache()
            #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
        }
    }

    @Test func `a lookup finds nothing after a clear, whatever was being read`() async throws {
        for _ in 0..<5 {
            for number in 0..<100 { cache.storeToDisk(png, forKey: "\(number)", completionHandler: nil) }
            let answers = CallCounter()
            for number in 0..<100 {
                cache.retrieveImage(forKey: "\(number)", callbackQueue: .untouch) { _ in answers.increment() }
            }
            await cache.clearCache()
            await answers.waitFor(100)
            for number in 0..<100 { #expect(!cache.isCached(forKey: "\(number)")) }
        }
    }

    @Test
    func `a lookup does not promote what was removed, replaced or cleared while it read`() async throws {
        let changes: [@Sendable (ImageCache, Data) -> Void] = [
            { cache, _ in cache.removeImage(forKey: "a", completionHandler: nil) },
            { cache, _ in cache.removeImage(forKey: "a", fromDisk: false, completionHandler: nil) },
            { cache, _ in cache.removeImages(forKey: "a", completionHandler: nil) },
            { cache, _ in cache.clearCache(completion: nil) },
            { cache, _ in cache.clearMemoryCache() },
            { cache, data in cache.storeToDisk(data, forKey: "a", completionHandler: nil) },
        ]
        for change in changes {
            try await cache.storeToDisk(png, forKey: "a")
            let gate = Gate()
            let found = Recorder<CacheType?>()
            cache.retrieveImage(
                forKey: "a", options: [.cacheSerializer(SlowToRead(gate: gate))], callbackQueue: .untouch
            ) { found.append(try? $0.get().cacheType) }
            await gate.waitForArrivals(1)
            change(cache, newer)
            gate.open()
            await found.waitFor(count: 1)
            #expect(!cache.memoryStorage.isCached(forKey: "a"))
        }
    }

    @Test func `a lookup promotes nothing while memory is still being cleared`() async throws {
        let changes: [@Sendable (ImageCache, @escaping @Sendable () -> Void) -> Void] = [
            { cache, then in cache.clearCache(completion: then) },
            { cache, then in
                // Blocks its thread, which must not be one of Swift's pool.
                Task(executorPreference: QueueExecutor()) {
                    await cache.clearCache()
                    then()
                }
            },
            { cache, then in cache.removeImage(forKey: "a", completionHandler: then) },
            { cache, then in cache.removeImages(forKey: "a", completionHandler: then) },
        ]
        for change in changes {
            try await cache.storeToDisk(png, forKey: "a")
            let gate = Gate()
            cache.store(try SlowToFree.image(gate), forKey: "a", toDisk: false, completionHandler: nil)
            let done = Recorder<Bool>()
            Thread.detachNewThread { [cache] in change(cache) { done.append(true) } }
            await gate.waitForArrivals(1)
            #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
            gate.open()
            await done.waitFor(count: 1)
            #expect(!cache.isCached(forKey: "a"))
        }
    }

    @Test func `a lookup does not promote an image for a load that is over`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let gate = Gate()
        let isStale = Recorder<Bool>()
        var options = KingfisherParsedOptionsInfo([.cacheSerializer(SlowToRead(gate: gate))])
        options.isCurrent = { isStale.count == 0 }
        let found = Recorder<Bool>()
        cache.retrieveImage(forKey: "a", options: options, callbackQueue: .untouch) { _ in found.append(true)
        }
        await gate.waitForArrivals(1)
        isStale.append(true)
        gate.open()
        await found.waitFor(count: 1)
        #expect(!cache.memoryStorage.isCached(forKey: "a"))
    }

    @Test func `a lookup sees an image that is being encoded, as the options want it`() async throws {
        let gate = Gate()
        let image = Image(bitmap: try Sample.bitmap(6, 4))
        let stored = Recorder<Bool>()
        cache.store(image, forKey: "a", cacheSerializer: Gated(gate: gate)) { _ in stored.append(true) }
        await gate.waitForArrivals(1)
        cache.clearMemoryCache()
        let found = try await cache.retrieveImage(
            forKey: "a", options: [.scaleFactor(2), .loadDiskFileSynchronously])
        #expect(found.cacheType == .disk)
        #expect(found.image?.size == CGSize(width: 3, height: 2))
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "a").image?.size == CGSize(width: 6, height: 4))
        #expect(stored.count == 0)
        cache.removeImage(forKey: "a", completionHandler: nil)
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        gate.open()
        await stored.waitFor(count: 1)
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
    }

    @Test
    func `a lookup finds the original that a serializer will store in place of an image`() async throws {
        let gate = blockWrites()
        let options = KingfisherParsedOptionsInfo([
            .processor(ProcessorName(identifier: "small")),
            .cacheSerializer(Encrypting(originalDataUsed: true)),
        ])
        let small = try Image(decoding: newer)
        cache.store(small, original: png, forKey: "a", options: options, completionHandler: nil)
        cache.clearMemoryCache()
        let found = Recorder<Int?>()
        cache.readDecoded(forKey: "a", options: options) { found.append((try? $0.get())?.pixelSize.width) }
        #expect(await found.waitFor(count: 1) == [6])
        gate.open()
    }

    @Test func `a lookup of a file by its path waits until the file is written`() async throws {
        for number in 0..<40 {
            cache.storeToDisk(png, forKey: "\(number)", completionHandler: nil)
            let url = try #require(cache.cacheFileURLIfOnDisk(forKey: "\(number)"))
            #expect(try Data(contentsOf: url) == png)
        }
    }

    @Test func `a lookup in a write's completion finds a file that is written later`() async throws {
        let found = Recorder<Bool>()
        let gate = blockWrites()
        cache.storeToDisk(png, forKey: "a") { [cache] _ in
            found.append(cache.cacheFileURLIfOnDisk(forKey: "b") != nil)
        }
        cache.storeToDisk(png, forKey: "b", completionHandler: nil)
        gate.open()
        #expect(await found.waitFor(count: 1) == [true])
    }

    @Test func `a lookup sees variants that are stored and removed with their key`() async throws {
        let gate = blockWrites()
        let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: "round"))]
        cache.storeToDisk(
            png, forKey: "a", processorIdentifier: "round", forcedExtension: "png", completionHandler: nil)
        cache.storeToDisk(png, forKey: "a", processorIdentifier: "round", completionHandler: nil)
        cache.storeToDisk(png, forKey: "b", processorIdentifier: "round", completionHandler: nil)
        #expect(try await cache.retrieveImage(forKey: "a", options: options).cacheType == .disk)
        cache.removeImages(forKey: "a", completionHandler: nil)
        #expect(try await cache.retrieveImage(forKey: "a", options: options).cacheType == .none)
        #expect(
            !cache.isCached(forKey: "a", processorIdentifier: "round", forcedExtension: "png"))
        #expect(cache.isCached(forKey: "b", processorIdentifier: "round"))
        gate.open()
        #expect(try await cache.diskStorageSize == UInt(png.count))
    }

    @Test
    func `a lookup finds what was there if a store may not replace it or stores nothing`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let gate = blockWrites()
        var options = KingfisherParsedOptionsInfo([.diskStoreWriteOptions(.withoutOverwriting)])
        cache.store(try Image(decoding: newer), forKey: "a", options: options, completionHandler: nil)
        cache.store(try Image(decoding: newer), forKey: "b", options: options, completionHandler: nil)
        cache.storeToDisk(newer, forKey: "a", expiration: .expired, completionHandler: nil)
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a")?.pixelSize.width == 6)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "b")?.pixelSize.width == 3)
        gate.open()
        options.diskStoreWriteOptions = []
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a")?.pixelSize.width == 6)
    }

    @Test func `an image in memory is found on the calling thread`() async throws {
        try await cache.store(try Image(decoding: png), forKey: "a", toDisk: false)
        let types = Recorder<CacheType>()
        cache.imageCachedTypeAsync(forKey: "a", callbackQueue: .untouch) { types.append($0) }
        #expect(types.values == [.memory])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A serializer of one's own` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }

    init() throws { fixture = try CacheFixture() }

    @Test func `a custom serializer's entries stay though another serializer can't read them`() async throws {
        let image = try Image(decoding: Data(try Sample.png(6, 4)))
        try await cache.store(image, forKey: "a", cacheSerializer: Encrypting())
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        let options: KingfisherOptionsInfo = [.cacheSerializer(Encrypting())]
        let found = try await cache.retrieveImage(forKey: "a", options: options)
        #expect(found.image?.pixelSize == image.pixelSize)
    }
}

/// Runs tasks in a queue of its own.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Frames that take a while to free.
private final class SlowToFree: ImageFrameSource {
    let frameCount = 2
    private let picture: Bitmap
    private let gate: Gate
    var data: Data? { nil }

    private init(_ picture: Bitmap, gate: Gate) {
        self.picture = picture
        self.gate = gate
    }

    deinit { gate.wait() }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? { picture }
    func duration(at index: Int) -> TimeInterval { 1 }

    static func image(_ gate: Gate) throws -> Image {
        let source = SlowToFree(try Sample.bitmap(2, 2), gate: gate)
        let options = ImageCreatingOptions()
        return try #require(KingfisherWrapper<Image>.animatedImage(source: source, options: options))
    }
}
