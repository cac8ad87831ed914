import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A disk that hangs` {
    let fixture: CacheFixture
    let cache: ImageCache
    let clock = ManualStallCheck()
    let hang = Gate()
    let png: Data

    init() throws {
        fixture = try CacheFixture()
        png = Data(try Sample.png(6, 4))
        cache = ImageCache(
            memoryStorage: .init(config: .init(totalCostLimit: 1 << 24, cleanInterval: 0)),
            diskStorage: try fixture.disk.storage(
                faults: CacheFixture.faults(fixture.warnings), stallCheck: clock.check))
    }

    private func hangReads(_ number: Int, answers: Recorder<Int?>) async {
        let before = hang.arrivals
        for _ in 0..<number {
            cache.reads.read { [hang] in
                hang.wait()
            } then: { result in
                answers.append((try? result.get()).map { 1 })
            }
        }
        await hang.waitForArrivals(before + number)
    }

    @Test
    func `a disk that hangs fails the reads that hang, and no others while a thread is left`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let answers = Recorder<Int?>()
        await hangReads(3, answers: answers)
        clock.tick()
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .disk)
        clock.tick()
        #expect(await answers.waitFor(count: 3) == [nil, nil, nil])
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .disk)
        hang.open()
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a") != nil)
        #expect(answers.count == 3)
    }

    @Test
    func `a hanging disk fails all reads at once when no thread is left, until it responds`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let answers = Recorder<Int?>()
        await hangReads(4, answers: answers)
        let waiting = Recorder<Int?>()
        cache.retrieveImage(forKey: "a", callbackQueue: .untouch) { result in
            if case .failure(let error) = result { waiting.append(error.errorCode) }
        }
        clock.tick()
        clock.tick()
        #expect(await waiting.waitFor(count: 1) == [3004])
        let error = await kingfisherError { try await cache.retrieveImage(forKey: "a") }
        #expect(error?.description.contains("has not responded for 5 s") == true)
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
        hang.open()
        await answers.waitFor(count: 4)
        // Whoever asks while the threads come back may still be refused.
        var found = CacheType.none
        while found == .none, !Task.isCancelled { found = await cache.imageCachedTypeAsync(forKey: "a") }
        #expect(found == .disk)
    }

    @Test func `a disk that hangs keeps staged stores readable, and rejects more than 32 MiB`() async throws {
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        let results = Recorder<Bool>()
        let large = Data(count: 12 << 20)
        for number in 0..<4 {
            cache.storeToDisk(large, forKey: "large \(number)") { result in
                results.append((try? result.diskCacheResult.get()) != nil)
            }
        }
        #expect(results.count == 0)
        clock.tick()
        clock.tick()
        // The two newest exceed what a disk that hangs may keep waiting; the others stay, but nobody has to wait for them.
        #expect(results.values == [false, false, false, false])
        #expect(cache.isCached(forKey: "large 1") && !cache.isCached(forKey: "large 2"))
        let error = await kingfisherError { try await cache.storeToDisk(large, forKey: "refused") }
        #expect(error?.errorCode == 3009)
        #expect(fixture.warnings.values.first?.contains("has not responded for 5 s") == true)
        cache.storeToDisk(png, forKey: "small") { _ in results.append(true) }
        #expect(try await cache.retrieveImage(forKey: "small").cacheType == .disk)
        cache.removeImage(forKey: "small", completionHandler: nil)
        #expect(try await cache.retrieveImage(forKey: "small").cacheType == .none)
        hang.open()
        #expect(await results.waitFor(count: 5) == [false, false, false, false, true])
        #expect(try await cache.retrieveImage(forKey: "small").cacheType == .none)
        try await cache.storeToDisk(large, forKey: "refused")
        #expect(try await cache.diskStorageSize == UInt(3 * large.count))
    }

    @Test func `a disk that is too slow is left out by loads, not by stores of the program`() async throws {
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "quick", transport: CurlTransport()), cache: cache)
        let large = png + Data(count: 15 << 20)
        var types: [CacheType] = []
        for number in 0..<6 {
            let provider = RawImageDataProvider(data: large, cacheKey: "\(number)")
            types.append(try await manager.retrieveImage(with: .provider(provider)).cacheType)
        }
        #expect(types == Array(repeating: .none, count: 6))
        let results = Recorder<Bool>()
        cache.storeToDisk(large, forKey: "asked for") {
            results.append((try? $0.diskCacheResult.get()) != nil)
        }
        let awaited = RawImageDataProvider(data: large, cacheKey: "awaited")
        let stored = Task { [manager] in
            try await manager.retrieveImage(with: .provider(awaited), options: [.waitForCache])
        }
        while !cache.isCached(forKey: "awaited"), !Task.isCancelled { await Task.yield() }
        #expect(fixture.warnings.values.first?.contains("75 MiB wait to be written") == true)
        hang.open()
        #expect(await results.waitFor(count: 1) == [true])
        #expect(try await stored.value.cacheType == .none && cache.diskStorage.isCached(forKey: "awaited"))
        let kept = ["0", "3", "4", "5", "asked for"].map { cache.diskStorage.isCached(forKey: $0) }
        #expect(kept == [true, true, false, false, true])
        // Once it has caught up, it is used again.
        cache.clearMemoryCache()
        let again = RawImageDataProvider(data: large, cacheKey: "5")
        _ = try await manager.retrieveImage(with: .provider(again), options: [.waitForCache])
        #expect(cache.diskStorage.isCached(forKey: "5"))
    }

    @Test
    func `a disk that hangs lets nobody wait for ever, and changes files once it responds`() async throws {
        try await cache.storeToDisk(png, forKey: "removed")
        try await cache.storeToDisk(png, forKey: "variants")
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        let ends = Recorder<String>()
        cache.storeToDisk(png, forKey: "stored", callbackQueue: .untouch) {
            ends.append("store: \($0.diskCacheResult.isSuccess)")
        }
        cache.remove(
            forKey: "removed", identifier: "", forcedExtension: nil, fromMemory: true, fromDisk: true
        ) { ends.append("removal: \($0.isSuccess)") }
        cache.removeImages(forKey: "variants") { ends.append("variants") }
        cache.measureDisk(callbackQueue: .untouch) { ends.append("size: \($0.isSuccess)") }
        cache.cleanDisk(callbackQueue: .untouch) { ends.append("cleaning") }
        cache.findVariants(ofKey: "stored") { ends.append("list of \($0.count)") }
        let provider = RawImageDataProvider(data: png, cacheKey: "loaded")
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "waits", transport: CurlTransport()), cache: cache)
        let load = Task { [manager] in
            try await manager.retrieveImage(with: .provider(provider), options: [.waitForCache])
        }
        while !cache.isCached(forKey: "loaded"), !Task.isCancelled { await Task.yield() }
        // Lookups see a store before it is queued, and a check tells only what is queued that the disk hangs.
        while cache.staged.withLock({ $0.encodingCount > 0 }), !Task.isCancelled { await Task.yield() }
        #expect(ends.count == 0)
        clock.tick()
        clock.tick()
        let failed = ["store: false", "removal: false", "variants", "size: false", "cleaning", "list of 0"]
        #expect(ends.values == failed)
        #expect(try await load.value.cacheType == .none)
        // Lookups see what was called, as before.
        #expect(cache.isCached(forKey: "stored") && !cache.isCached(forKey: "removed"))
        clock.tick()
        hang.open()
        try await cache.flush(within: .seconds(600))
        #expect(ends.values == failed)
        let kept = ["stored", "loaded", "removed", "variants"].map {
            cache.diskStorage.isCached(forKey: $0)
        }
        #expect(kept == [true, true, false, false])
    }

    @Test(arguments: ["clear", "clean", "variants"])
    func `a disk that hangs is reported by a warning where a call has no error`(change: String) async throws {
        try await cache.storeToDisk(png, forKey: "a")
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        let ends = Recorder<Bool>()
        switch change {
        case "clear": cache.clearDisk(callbackQueue: .untouch) { ends.append(true) }
        case "clean": cache.cleanDisk(callbackQueue: .untouch) { ends.append(true) }
        default: cache.removeImages(forKey: "a") { ends.append(true) }
        }
        clock.tick()
        clock.tick()
        #expect(ends.count == 1)
        #expect(fixture.warnings.values.first?.contains("has not responded for 5 s") == true)
        hang.open()
        try await cache.flush(within: .seconds(600))
        #expect(cache.diskStorage.isCached(forKey: "a") == (change == "clean") && ends.count == 1)
    }

    @Test func `a disk that hangs is left out by loads while 10,000 changes wait for it`() async throws {
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        for _ in 0..<10_000 { cache.writes.append {} }
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "many", transport: CurlTransport()), cache: cache)
        func load(_ key: String) async throws {
            _ = try await manager.retrieveImage(
                with: .provider(RawImageDataProvider(data: png, cacheKey: key)))
        }
        try await load("before")
        while !cache.isCached(forKey: "before"), !Task.isCancelled { await Task.yield() }
        clock.tick()
        clock.tick()
        try await load("after")
        hang.open()
        try await cache.flush(within: .seconds(600))
        while !cache.diskStorage.isCached(forKey: "before"), !Task.isCancelled { await Task.yield() }
        #expect(!cache.diskStorage.isCached(forKey: "after"))
    }

    @Test func `writing a large file makes progress, so that the disk does not seem to hang`() throws {
        let progress = DiskProgress()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: DiskProgress.key, value: progress)
        let folder = cache.diskStorage.core.folder
        try queue.sync {
            let (path, descriptor) = try folder.makeStagingFile(bytes: 1)
            defer {
                close(descriptor)
                unlink(path)
            }
            let data = Data((0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 >> 10) } + [7])
            try folder.fill(descriptor, with: data)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
        }
        #expect(progress.steps >= 6)
    }

    @Test func `a disk that goes through many files does not seem to hang`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let (begins, goesOn) = (Gate(), Gate())
        cache.writes.append { [cache] in
            begins.wait()
            for _ in 0..<2 { _ = try? cache.diskStorage.totalSize() }
            goesOn.wait()
        }
        await begins.waitForArrivals(1)
        let stored = Recorder<Bool>()
        cache.storeToDisk(png, forKey: "b", callbackQueue: .untouch) {
            stored.append($0.diskCacheResult.isSuccess)
        }
        clock.tick()
        begins.open()
        await goesOn.waitForArrivals(1)
        clock.tick()
        #expect(stored.count == 0)
        clock.tick()
        #expect(stored.values == [false])
        goesOn.open()
        try await cache.flush(within: .seconds(600))
        #expect(cache.diskStorage.isCached(forKey: "b"))
    }

    @Test
    func `a store that a hanging disk fails brings nothing back that was removed before`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
        cache.storeToDisk(Data(count: 30 << 20), forKey: "large", completionHandler: nil)
        clock.tick()
        clock.tick()
        cache.removeImage(forKey: "a", completionHandler: nil)
        let error = await kingfisherError { try await cache.storeToDisk(Data(count: 4 << 20), forKey: "a") }
        #expect(error?.errorCode == 3009)
        #expect(!cache.isCached(forKey: "a"))
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        hang.open()
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        try await cache.storeToDisk(png, forKey: "a")
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .disk)
    }

    @Test func `receivers that block are not taken for a disk that hangs, and others read on`() async throws {
        try await cache.storeToDisk(png, forKey: "a")
        let blocked = Gate()
        // Every thread that reads: otherwise the next read might start before the clock ticks, and count as stalled.
        for _ in 0..<4 { cache.reads.read({}, then: { _ in blocked.wait() }) }
        await blocked.waitForArrivals(4)
        let found = Recorder<Bool>()
        cache.retrieveImageInDiskCache(forKey: "a", callbackQueue: .untouch) { result in
            found.append((try? result.get()) != nil)
        }
        clock.tick()
        clock.tick()
        #expect(await found.waitFor(count: 1) == [true])
        blocked.open()
    }

    @Test func `a disk that hangs does not hide staged stores and removals`() async throws {
        let answers = Recorder<Int?>()
        await hangReads(4, answers: answers)
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(5)
        cache.storeToDisk(png, forKey: "a", completionHandler: nil)
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .disk)
        cache.removeImage(forKey: "a", completionHandler: nil)
        #expect(await cache.imageCachedTypeAsync(forKey: "a") == .none)
        hang.open()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
