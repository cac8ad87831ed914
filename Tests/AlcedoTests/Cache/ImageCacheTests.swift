import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `An image cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let image: Image
    let png: Data

    init() throws {
        fixture = try CacheFixture()
        png = Data(try Sample.png(6, 4))
        image = try Image(decoding: png)
    }

    @Test func `an image cache stores in memory at once and on disk later`() async throws {
        let stored = OneShot<CacheStoreResult, Never>()
        cache.store(image, forKey: "a") { stored.finish(.success($0)) }
        #expect(cache.retrieveImageInMemoryCache(forKey: "a") === image)
        await #expect(throws: Never.self) { try await stored.value().diskCacheResult.get() }
        #expect(cache.diskStorage.isCached(forKey: "a"))
    }

    @Test func `an image cache stores in memory only when asked to`() async throws {
        try await cache.store(image, forKey: "a", toDisk: false)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        #expect(cache.diskStorage.fileNames == [])
    }

    @Test func `an image cache stores bytes on disk only`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        #expect(try cache.diskStorage.value(forKey: "a") == png)
    }

    @Test func `an image cache retrieves from memory, else from disk into memory`() async throws {
        try await cache.store(image, forKey: "a")
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
        cache.clearMemoryCache()
        let found = try await cache.retrieveImage(forKey: "a", options: [.scaleFactor(2)])
        #expect(found.cacheType == .disk)
        #expect(found.image?.size == CGSize(width: 3, height: 2))
        #expect(cache.retrieveImageInMemoryCache(forKey: "a") === found.image)
        #expect(try await cache.retrieveImage(forKey: "b").cacheType == .none)
    }

    @Test func `looking on disk only leaves memory alone`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a")?.pixelSize == image.pixelSize)
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "b") == nil)
    }

    @Test func `a miss in memory is final when the options say so`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        #expect(
            try await cache.retrieveImage(forKey: "a", options: [.fromMemoryCacheOrRefresh]).cacheType
                == .none)
    }

    @Test func `a damaged file in an image cache is no image and no error`() async throws {
        try await cache.storeToDisk(Data("not an image".utf8), forKey: "a")
        try await cache.storeToDisk(Data(), forKey: "b")
        try await cache.storeToDisk(png.dropLast(20), forKey: "c")
        for key in ["a", "b", "c"] {
            #expect(try await cache.retrieveImage(forKey: key).cacheType == .none)
        }
    }

    @Test func `retrieving an image without a handler does nothing`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        cache.retrieveImage(
            forKey: "a", options: [.loadDiskFileSynchronously], completionHandler: nil)
        #expect(cache.imageCachedType(forKey: "a") == .disk)
    }

    @Test func `an image cache reads on the calling thread when asked to`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let outcome = Recorder<CacheType?>()
        cache.retrieveImage(forKey: "a", options: [.loadDiskFileSynchronously], callbackQueue: .untouch) {
            outcome.append(try? $0.get().cacheType)
        }
        #expect(outcome.values == [.disk])
    }

    @Test func `an image cache decodes before it completes when asked to`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let lazy = try await cache.retrieveImageInDiskCache(forKey: "a")
        let eager = try await cache.retrieveImageInDiskCache(forKey: "a", options: [.backgroundDecode])
        #expect(lazy?.decodedBitmap == nil)
        #expect(eager?.decodedBitmap != nil)
    }

    @Test func `an image cache keeps what different processors made apart`() async throws {
        try await cache.store(image, forKey: "a", processorIdentifier: "round")
        #expect(!cache.isCached(forKey: "a"))
        #expect(cache.isCached(forKey: "a", processorIdentifier: "round"))
        #expect(cache.diskStorage.isCached(forKey: "a@round"))
        #expect(cache.hash(forKey: "a", processorIdentifier: "round") == sha256Hex("a@round"))
        #expect(cache.hash(forKey: "a") == sha256Hex("a"))
        let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: "round"))]
        #expect(try await fixture.restarted().retrieveImage(forKey: "a", options: options).cacheType == .disk)
        try await cache.removeImage(forKey: "a", processorIdentifier: "round")
        #expect(!cache.isCached(forKey: "a", processorIdentifier: "round"))
    }

    @Test func `originals that a processor is still to change don't go to memory`() async throws {
        var serializer = DefaultCacheSerializer.default
        serializer.preferCacheOriginalData = true
        for identifier in ["", "round"] {
            try await cache.storeToDisk(png, forKey: "a", processorIdentifier: identifier)
            let options: KingfisherOptionsInfo = [
                .processor(ProcessorName(identifier: identifier)), .cacheSerializer(serializer),
            ]
            #expect(try await cache.retrieveImage(forKey: "a", options: options).cacheType == .disk)
        }
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .disk)
    }

    @Test func `a slow read does not replace what was stored meanwhile`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let (gate, newer) = (Gate(), Image(bitmap: try Sample.bitmap(2, 2)))
        let found = Recorder<CacheType?>()
        cache.retrieveImage(
            forKey: "a", options: [.cacheSerializer(SlowToRead(gate: gate))], callbackQueue: .untouch
        ) { found.append(try? $0.get().cacheType) }
        await gate.waitForArrivals(1)
        try await cache.store(newer, forKey: "a", toDisk: false)
        gate.open()
        #expect(await found.waitFor(count: 1) == [.disk])
        #expect(cache.retrieveImageInMemoryCache(forKey: "a") === newer)
    }

    @Test func `a forced extension names the file but not the entry in memory`() async throws {
        try await cache.store(image, forKey: "a", forcedExtension: "webp")
        #expect(cache.diskStorage.entryNames == [sha256Hex("a") + ".webp"])
        #expect(cache.retrieveImageInMemoryCache(forKey: "a") === image)
        #expect(cache.cachePath(forKey: "a", forcedExtension: "webp").hasSuffix(".webp"))
        #expect(cache.hash(forKey: "a", forcedExtension: "webp") == sha256Hex("a") + ".webp")
        #expect(cache.cacheFileURLIfOnDisk(forKey: "a") == nil)
        #expect(cache.cacheFileURLIfOnDisk(forKey: "a", forcedExtension: "webp") != nil)
        cache.clearMemoryCache()
        #expect(!cache.isCached(forKey: "a"))
        #expect(cache.imageCachedType(forKey: "a", forcedExtension: "webp") == .disk)
        let found = try await cache.retrieveImage(forKey: "a", options: [.forcedCacheFileExtension("webp")])
        #expect(found.cacheType == .disk)
    }

    @Test func `an image cache removes from memory, from disk or from both`() async throws {
        try await cache.store(image, forKey: "a")
        try await cache.removeImage(forKey: "a", fromDisk: false)
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        try await cache.store(image, forKey: "a")
        try await cache.removeImage(forKey: "a", fromMemory: false)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        #expect(cache.diskStorage.fileNames == [])
        try await cache.removeImage(forKey: "a")
        #expect(cache.imageCachedType(forKey: "a") == .none)
    }

    @Test
    func `an image that is removed after its store stays away, however long encoding takes`() async throws {
        let gate = Gate()
        let pixels = Image(bitmap: try Sample.bitmap(2, 2))
        cache.store(pixels, forKey: "a", cacheSerializer: Gated(gate: gate), completionHandler: nil)
        let removed = Recorder<Bool>()
        cache.removeImage(forKey: "a") { removed.append(true) }
        gate.open()
        await removed.waitFor(count: 1)
        #expect(cache.imageCachedType(forKey: "a") == .none)
        #expect(cache.diskStorage.fileNames == [])
    }

    @Test func `a slow encoder does not hold up a read`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let gate = Gate()
        let stored = Recorder<Bool>()
        cache.store(Image(bitmap: try Sample.bitmap(2, 2)), forKey: "b", cacheSerializer: Gated(gate: gate)) {
            _ in
            stored.append(true)
        }
        await gate.waitForArrivals(1)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a") != nil)
        #expect(stored.count == 0)
        gate.open()
        await stored.waitFor(count: 1)
    }

    @Test func `a serializer that may encode does not do so in the queue that writes`() async throws {
        let noting = Noting()
        cache.writes.queue.setSpecific(key: noting.queueMark, value: true)
        try await cache.store(image, forKey: "a", cacheSerializer: noting)
        #expect(noting.isInQueue.values == [false])
    }

    @Test func `an image cache says when the serializer makes nothing of an image`() async throws {
        let error = await kingfisherError {
            try await cache.store(image, forKey: "a", cacheSerializer: Refusing())
        }
        #expect(error?.errorCode == 3008)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
    }

    @Test func `an image cache clears memory and disk`() async throws {
        try await cache.store(image, forKey: "a")
        #expect(cache.memoryStorageCacheCost == png.count)
        #expect(try await cache.diskStorageSize == UInt(png.count))
        await cache.clearDiskCache()
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        try await cache.store(image, forKey: "a")
        await cache.clearCache()
        #expect(cache.imageCachedType(forKey: "a") == .none)
        #expect(try await cache.diskStorageSize == 0)
        #expect(cache.memoryStorageCacheCost == 0)
    }

    @Test func `an image cache tells where an image is, without reading it`() async throws {
        try await cache.store(image, forKey: "a")
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .memory)
        cache.clearMemoryCache()
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .disk)
        #expect(await cache.imageCachedTypeAsync(forKey: "b") == .none)
        #expect(cache.cachePath(forKey: "b") == cache.diskStorage.directoryURL.path + "/" + sha256Hex("b"))
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Callbacks of an image cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let image: Image

    init() throws {
        fixture = try CacheFixture()
        image = Image(bitmap: try Sample.bitmap(2, 2))
    }

    @Test(.timeLimit(.minutes(10)))
    func `callbacks of retrieving, clearing and measuring come on main, others do not`() async throws {
        try await cache.store(image, forKey: "a")
        _ = mainQueueMark
        let onMain = Recorder<Bool>()
        let note: @Sendable () -> Void = { onMain.append(isOnMainQueue()) }
        cache.retrieveImage(forKey: "a") { _ in note() }
        cache.clearMemoryCache()
        cache.retrieveImage(forKey: "a") { _ in note() }
        cache.imageCachedTypeAsync(forKey: "a") { _ in note() }
        cache.clearCache(completion: note)
        cache.clearDiskCache(completion: note)
        cache.cleanExpiredCache(completion: note)
        cache.cleanExpiredDiskCache(completion: note)
        cache.calculateDiskStorageSize { _ in note() }
        #expect(await onMain.waitFor(count: 8) == Array(repeating: true, count: 8))
        let offMain = Recorder<Bool>()
        cache.store(image, forKey: "a") { _ in offMain.append(isOnMainQueue()) }
        cache.storeToDisk(Data(), forKey: "a") { _ in offMain.append(isOnMainQueue()) }
        cache.removeImage(forKey: "a") { offMain.append(isOnMainQueue()) }
        cache.retrieveImageInDiskCache(forKey: "a") { _ in offMain.append(isOnMainQueue()) }
        #expect(await offMain.waitFor(count: 4) == Array(repeating: false, count: 4))
    }

    @Test @MainActor func `a hit in memory calls back before a call on main returns`() async throws {
        try await cache.store(image, forKey: "a", toDisk: false)
        let outcome = Recorder<CacheType?>()
        cache.retrieveImage(forKey: "a") { outcome.append(try? $0.get().cacheType) }
        #expect(outcome.values == [.memory])
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Cleaning an image cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let png: Data

    init() throws {
        fixture = try CacheFixture()
        png = Data(try Sample.png(2, 2))
    }

    private func cleanings() -> (Recorder<[String]>, any NSObjectProtocol) {
        let names = Recorder<[String]>()
        let observer = NotificationCenter.default.addObserver(
            forName: .KingfisherDidCleanDiskCache, object: cache, queue: nil
        ) { notification in
            names.append(notification.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String] ?? [])
        }
        return (names, observer)
    }

    @Test func `cleaning an image cache removes what has expired and says which`() async throws {
        let image = try Image(decoding: png)
        var options = KingfisherParsedOptionsInfo(nil)
        options.memoryCacheExpiration = .seconds(5)
        options.diskCacheExpiration = .seconds(5)
        try await cache.store(image, forKey: "a", options: options)
        try await cache.store(image, forKey: "b")
        cache.diskStorage.settle()
        let (names, observer) = cleanings()
        fixture.clock.advance(by: 6)
        await cache.cleanExpiredCache()
        #expect(await names.waitFor(count: 1) == [[cache.hash(forKey: "a")]])
        #expect(cache.memoryStorageCacheCost == image.cacheCost)
        #expect(cache.diskStorage.fileNames == [cache.hash(forKey: "b")])
        NotificationCenter.default.removeObserver(observer)
    }

    @Test func `an image cache is cleaned after its first store and then every ten minutes`() async throws {
        let (names, observer) = cleanings()
        for (round, step) in [0.0, 600, -3600].enumerated() {
            fixture.clock.advance(by: step)
            try cache.diskStorage.store(value: png, forKey: "old", expiration: .seconds(1))
            fixture.clock.advance(by: 2)
            try await cache.storeToDisk(png, forKey: "new \(round)")
            #expect(await names.waitFor(count: round + 1).last == [cache.hash(forKey: "old")])
            try cache.diskStorage.store(value: png, forKey: "old", expiration: .seconds(1))
            fixture.clock.advance(by: 597)
            try await cache.storeToDisk(png, forKey: "newer \(round)")
            cache.diskStorage.settle()
            #expect(cache.diskStorage.fileNames.contains(cache.hash(forKey: "old")))
            try cache.diskStorage.remove(forKey: "old")
        }
        NotificationCenter.default.removeObserver(observer)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `An image cache without a disk` {
    let fixture: CacheFixture
    let cache: ImageCache
    let image: Image

    init() throws {
        fixture = try CacheFixture()
        image = try Image(decoding: Data(try Sample.png(2, 2)))
        try Data().write(to: fixture.disk.parent.file("file"))
        var config = fixture.disk.config
        config.cachePathBlock = { directory, _ in directory.appendingPathComponent("file/below") }
        cache = CacheFixture.cache(
            .init(unchecked: config, faults: CacheFixture.faults(fixture.warnings)), clock: fixture.clock)
    }

    @Test func `an image cache without a disk keeps images in memory and says so once`() async throws {
        for key in ["a", "b"] {
            let error = await kingfisherError { try await cache.store(image, forKey: key) }
            #expect(error?.errorCode == 3011)
            #expect(try await cache.retrieveImage(forKey: key).cacheType == .memory)
        }
        #expect(
            fixture.warnings.values == [
                "Could not store images in \(fixture.disk.parent.path)/file/below: Not a directory. "
                    + "Images are kept in memory only."
            ])
    }

    @Test func `an image cache without a disk reports that wherever the disk is needed`() async throws {
        #expect(await kingfisherError { try await cache.retrieveImage(forKey: "a") }?.errorCode == 3011)
        #expect(await kingfisherError { try await cache.storeToDisk(Data(), forKey: "a") }?.errorCode == 3011)
        #expect(await kingfisherError { try await cache.removeImage(forKey: "a") }?.errorCode == 3011)
        #expect(await kingfisherError { try await cache.diskStorageSize }?.errorCode == 3011)
        #expect(cache.imageCachedType(forKey: "a") == .none)
        await cache.clearCache()
        await cache.cleanExpiredCache()
        let removed = Recorder<Bool>()
        cache.removeImage(forKey: "a") { removed.append(true) }
        await removed.waitFor(count: 1)
    }

    @Test func `an image cache without a disk is not made by the throwing initializer`() throws {
        let code = KingfisherError.code {
            try ImageCache(name: "x", cacheDirectoryURL: fixture.disk.parent.file("file"))
        }
        #expect(code == 3005)
    }

    @Test func `a folder that is there but can't be written is reported as such`() async throws {
        var config = fixture.disk.config
        config.cachePathBlock = { _, _ in URL(fileURLWithPath: "/proc/self") }
        let cache = CacheFixture.cache(
            .init(unchecked: config, faults: CacheFixture.faults(fixture.warnings)), clock: fixture.clock)
        #expect(await kingfisherError { try await cache.store(image, forKey: "a") }?.errorCode == 3009)
        #expect(fixture.warnings.values.first?.contains("Could not store images in /proc/self") == true)
    }
}

/// Asks the queue, not the thread: in a test, the main queue does not run on the main thread.
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueMark) != nil }

private let mainQueueMark = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
}()
