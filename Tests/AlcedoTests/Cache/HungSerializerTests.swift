import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// A program's serializer may take any time, or never return.
@Suite(.timeLimit(.minutes(10))) struct `A serializer that hangs` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let hang = Gate()
    let image: Image
    let png: Data

    init() throws {
        fixture = try CacheFixture()
        image = Image(bitmap: try Sample.bitmap(2, 2))
        png = Data(try Sample.png(6, 4))
    }

    private func storeForever(_ key: String, then: @escaping @Sendable () -> Void = {}) async {
        cache.store(image, forKey: key, cacheSerializer: Gated(gate: hang)) { _ in then() }
        await hang.waitForArrivals(1)
    }

    @Test func `a serializer that hangs delays no store, removal or clear`() async throws {
        try await cache.storeToDisk(png, forKey: "old")
        await storeForever("a")
        try await cache.storeToDisk(png, forKey: "b")
        try await cache.removeImage(forKey: "old")
        #expect(cache.diskStorage.entryNames == [cache.hash(forKey: "b")])
        try await cache.removeImages(forKey: "a")
        await cache.clearDiskCache()
        #expect(cache.diskStorage.entryNames == [])
        hang.open()
        try await cache.flush(within: .seconds(1000))
        #expect(cache.diskStorage.entryNames == [])
    }

    @Test func `a flush waits for a serializer that hangs, and says so`() async throws {
        await storeForever("a")
        cache.storeToDisk(png, forKey: "b", completionHandler: nil)
        await #expect(throws: CacheFlushError(pendingCount: 1, pendingBytes: 0)) {
            try await cache.storeToDisk(png, forKey: "c")
            try await cache.flush(within: .seconds(0.01))
        }
        hang.open()
        try await cache.flush(within: .seconds(1000))
        #expect(cache.diskStorage.entryNames.count == 3)
    }

    @Test func `a serializer that hangs has no say once its image was replaced`() async throws {
        let isStored = Recorder<Bool>()
        await storeForever("a") { isStored.append(true) }
        try await cache.storeToDisk(png, forKey: "a")
        hang.open()
        await isStored.waitFor(count: 1)
        try await cache.flush(within: .seconds(1000))
        #expect(try cache.diskStorage.value(forKey: "a") == png)
    }

    @Test func `a serializer that hangs holds up no list and no file of another image`() async throws {
        await storeForever("a")
        cache.storeToDisk(png, forKey: "b", completionHandler: nil)
        let variants = Recorder<Int>()
        cache.findVariants(ofKey: "b") { variants.append($0.count { $0.cacheType == .disk }) }
        try await cache.storeToDisk(png, forKey: "c")
        try #require(variants.values == [1])
        let disk = Gate()
        cache.writes.append { disk.wait() }
        await disk.waitForArrivals(1)
        cache.storeToDisk(png, forKey: "d", completionHandler: nil)
        let files = Recorder<URL?>()
        Thread.detachNewThread { [cache] in
            files.append(cache.flushedFile(forKey: "d", identifier: "", forcedExtension: nil))
        }
        disk.open()
        #expect(await files.waitFor(count: 1).first ?? nil != nil)
        hang.open()
        try await cache.flush(within: .seconds(1000))
    }

    @Test func `measuring the disk and listing variants wait for a serializer that hangs`() async throws {
        await storeForever("a")
        let (sizes, variants) = (Recorder<UInt>(), Recorder<Int>())
        cache.measureDisk(callbackQueue: .untouch) { sizes.append((try? $0.get()) ?? 0) }
        cache.findVariants(ofKey: "a") { variants.append($0.count { $0.cacheType == .disk }) }
        try await cache.storeToDisk(png, forKey: "b")
        #expect(sizes.count == 0 && variants.count == 0)
        hang.open()
        #expect(await sizes.waitFor(count: 1).first ?? 0 > UInt(png.count))
        #expect(await variants.waitFor(count: 1) == [1])
    }

    @Test func `a serializer that hangs holds back reads whose bytes would wait for it`() async throws {
        let entry = Data(count: 1 << 20)
        for number in 0..<120 { try cache.diskStorage.store(value: entry, forKey: "\(number)") }
        let ends = Recorder<Bool>()
        for number in 0..<120 {
            cache.retrieveImageInDiskCache(
                forKey: "\(number)", options: [.cacheSerializer(SlowToRead(gate: hang))]
            ) { ends.append((try? $0.get()) != nil) }
        }
        // At most 64 threads have one, and the limit waits.
        while cache.serializing.bytes < 32 << 20, !Task.isCancelled { await Task.yield() }
        #expect(cache.serializing.bytes < 36 << 20 && cache.serializing.waiting >= 120 - 64 - 36)
        // Those of the library's serializer need no turn.
        try await cache.storeToDisk(png, forKey: "picture")
        #expect(try await cache.retrieveImageInDiskCache(forKey: "picture")?.size.width == 6)
        hang.open()
        await ends.waitFor(count: 120)
        #expect(cache.serializing.bytes == 0 && cache.serializing.waiting == 0)
    }
}

struct `Entries that wait for a serializer` {
    private let backlog = SerializerBacklog(limit: 10)
    private let reads = Recorder<Int>()

    private func start(_ numbers: ClosedRange<Int>) {
        for number in numbers { backlog.start { [reads] in reads.append(number) } }
    }

    @Test func `entries for a serializer are read four at a time, in order, while sizes are unknown`() {
        start(1...6)
        #expect(reads.values == [1, 2, 3, 4])
        // One that was missing, and one that is still read.
        backlog.hasRead(0)
        #expect(reads.values == [1, 2, 3, 4, 5] && backlog.waiting == 1)
    }

    @Test func `entries that wait for a serializer are bounded by their bytes`() {
        start(1...6)
        backlog.hasRead(9)
        #expect(reads.count == 5)
        backlog.hasRead(9)
        #expect(reads.count == 5 && backlog.bytes == 18)
        start(7...7)
        backlog.release(9)
        #expect(reads.values == [1, 2, 3, 4, 5, 6] && backlog.waiting == 1)
        for _ in 0..<4 { backlog.hasRead(0) }
        #expect(reads.values == [1, 2, 3, 4, 5, 6, 7] && backlog.bytes == 9)
    }
}
