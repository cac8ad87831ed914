import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `All variants of an image` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    var disk: DiskStorage.Backend<Data> { cache.diskStorage }
    let image: Image
    let png: Data

    init() throws {
        fixture = try CacheFixture()
        png = Data(try Sample.png(6, 4))
        image = try Image(decoding: png)
    }

    /// The file of the index that has the lines of a key.
    private func index(_ key: String) -> String {
        disk.core.folder.path(of: VariantIndex.fileName(ofKey: key))
    }

    private func store(_ key: String, _ identifier: String = "", _ suffix: String? = nil) async throws {
        try await cache.store(
            image, forKey: key, processorIdentifier: identifier, forcedExtension: suffix)
    }

    private static let odd = [
        "round|>blur(2.0)", "a@b", "tab\tline\nend", "100%", "é☃", "%0A", " ",
        String(repeating: "x", count: 9000),
    ]

    @Test(arguments: [true, false])
    func `all variants of an image are removed from memory and disk, and nothing else is`(
        isAfterRestart: Bool
    ) async throws {
        try await store("a")
        try await store("a", "", "webp")
        for identifier in Self.odd {
            try await store("a", identifier)
            try await store("a", identifier, "png")
        }
        let others = [("ab", ""), ("b", "round|>blur(2.0)"), ("a@2x.png", ""), ("", "a"), ("A", "")]
        for (key, identifier) in others { try await store(key, identifier) }
        let cache = isAfterRestart ? try fixture.restarted() : cache
        try await cache.removeImages(forKey: "a")
        for identifier in Self.odd + [""] {
            for suffix in [nil, "png", "webp"] {
                #expect(
                    !cache.isCached(
                        forKey: "a", processorIdentifier: identifier, forcedExtension: suffix))
            }
        }
        for (key, identifier) in others {
            #expect(cache.isCached(forKey: key, processorIdentifier: identifier))
        }
        #expect(disk.entryNames.count == others.count)
    }

    @Test
    func `all variants are removed by a cache that stored none, though another goes on to`() async throws {
        let other = try fixture.restarted()
        try await store("a", "first")
        try await other.removeImages(forKey: "a")
        try await store("a", "second")
        try await store("a", "first")
        try await other.removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `all variants of an image are removed from memory or from disk only`() async throws {
        try await store("a", "round")
        try await cache.removeImages(forKey: "a", fromMemory: false)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        #expect(disk.entryNames == [])
        try await store("a", "round")
        try await cache.removeImages(forKey: "a", fromDisk: false)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .disk)
    }

    @Test func `removing all variants comes after earlier stores, and calls back once`() async throws {
        cache.store(image, forKey: "a", processorIdentifier: "round", completionHandler: nil)
        let removed = Recorder<Int>()
        cache.removeImages(forKey: "a") { [disk] in removed.append(disk.entryNames.count) }
        #expect(cache.retrieveImageInMemoryCache(forKey: "a", options: nil) == nil)
        #expect(await removed.waitFor(count: 1) == [0])
    }

    @Test func `variants that were promoted from disk are removed from memory`() async throws {
        try await cache.storeToDisk(png, forKey: "a", processorIdentifier: "round")
        let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: "round"))]
        _ = try await cache.retrieveImage(forKey: "a", options: options)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        try await cache.removeImages(forKey: "a")
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .none)
    }

    @Test(arguments: [true, false])
    func `all variants of an image are found, whatever names their files got`(hashes: Bool) async throws {
        disk.config.usesHashedFileName = hashes
        let key = "https://x.org/a.png"
        for (auto, suffix) in [(false, nil), (true, nil), (false, "dat"), (true, "bin")] as [(Bool, String?)]
        {
            disk.config.autoExtAfterHashedFileName = auto
            disk.config.pathExtension = suffix
            try await store(key)
            try await store(key, "round")
            try await store(key, "round", "jpg")
        }
        disk.config.autoExtAfterHashedFileName = false
        disk.config.pathExtension = nil
        #expect(disk.entryNames.count > 6)
        try await cache.removeImages(forKey: key)
        #expect(disk.entryNames == [])
    }

    @Test func `originals alone need no index of variants`() async throws {
        try await store("a")
        #expect(disk.fileNames == [sha256Hex("a")])
        try await cache.removeImages(forKey: "a")
        #expect(disk.fileNames == [])
    }

    @Test func `variants are written down in files that no sweep counts or removes`() async throws {
        for number in 0..<20 { try await store("a", "round \(number)") }
        // The first store has the cache swept, which must not go on by another clock than it began.
        disk.settle()
        fixture.clock.advance(by: 8 * 86_400)
        #expect(try disk.removeExpiredValues().count == 20)
        #expect(disk.fileNames == [VariantIndex.fileName(ofKey: "a")])
        #expect(try disk.totalSize() == 0)
        #expect(try disk.entries().isEmpty)
        #expect(attributes(ofPath: index("a")).map { $0.st_mode & 0o777 } == 0o600)
        await cache.clearDiskCache()
        #expect(disk.fileNames == [])
    }

    @Test func `variants are found when the index was removed while the program runs`() async throws {
        let other = try fixture.restarted()
        try await store("b", "square")
        unlink(index("b"))
        try await store("b", "round")
        try await other.removeImages(forKey: "b")
        #expect(!disk.isCached(forKey: "b@round"))
        await other.clearDiskCache()
        #expect(disk.fileNames == [])
        try await store("c", "round")
        try await other.removeImages(forKey: "c")
        #expect(disk.entryNames == [])
    }

    @Test func `a variant is written down again when the index is removed during its store`() throws {
        let record = try disk.core.variants.add("name", ofKey: "a")
        #expect(disk.core.variants.names(ofKey: "a") == ["name"])
        unlink(index("a"))
        #expect(disk.core.variants.names(ofKey: "a") == [])
        try disk.core.variants.finish(record)
        #expect(disk.core.variants.names(ofKey: "a") == ["name"])
    }

    @Test
    func `variants are found in a damaged index, which names nothing outside the folder`() async throws {
        let outside = disk.directoryURL.deletingLastPathComponent().appendingPathComponent("outside")
        try Data([1]).write(to: outside)
        let garbage =
            Data("0123\tro".utf8) + Data([0, 255, 10, 9, 9, 9, 10]) + Data("x\ty\tz\n12\t%ff\n".utf8)
        try garbage.write(to: URL(fileURLWithPath: index("a")))
        for name in ["../outside", ".hidden", "", "a/b"] { _ = try disk.core.variants.add(name, ofKey: "a") }
        try await store("a", "round")
        #expect(disk.core.variants.names(ofKey: "a") == [sha256Hex("a@round")])
        try await fixture.restarted().removeImages(forKey: "a")
        #expect(disk.entryNames == [] && FileManager.default.fileExists(atPath: outside.path))
    }

    @Test func `variants in a folder with an index of an earlier format are removed once`() throws {
        try disk.store(value: png, forKey: "a@round")
        try Data("h\tround\t\n".utf8).write(to: disk.directoryURL.appendingPathComponent(".alcedo-variants"))
        let restarted = try fixture.restarted().diskStorage
        #expect(restarted.fileNames == [])
        try restarted.store(value: png, forKey: "a@round")
        #expect(try fixture.restarted().diskStorage.isCached(forKey: "a@round"))
    }

    @Test func `variants that can't be written down are not stored on disk`() async throws {
        mkdir(index("a"), 0o700)
        let error = await kingfisherError { try await store("a", "round") }
        guard case .cacheError(reason: .cannotCreateCacheFile(let url, let key, _, let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(url.path == index("a") && key == "a@round" && (cause as? POSIXError)?.code == .EISDIR)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        try await store("a")
        try await cache.removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    private func store(kind number: Int, in disk: DiskStorage.Backend<Data>, _ key: String) throws {
        try disk.store(
            value: Data([1]), forKey: key, identifier: "size(\(number))", expiration: nil, writeOptions: [],
            forcedExtension: nil)
    }

    @Test func `variants that come and go leave an index that does not grow`() async throws {
        for number in 0..<3000 {
            // The disk holds a thread of the pool: other tests have their turn in between.
            if number % 100 == 0 { await Task.yield() }
            try store(kind: number, in: disk, "a")
            try disk.remove(forKey: "a@size(\(number))")
        }
        #expect(attributes(ofPath: index("a")).map { $0.st_size <= VariantIndex.smallFile + 200 } == true)
        for number in 0..<3000 {
            if number % 100 == 0 { await Task.yield() }
            try store(kind: 1, in: disk, "a")
        }
        #expect(attributes(ofPath: index("a")).map { $0.st_size <= VariantIndex.smallFile + 200 } == true)
        try disk.removeVariants(ofKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test
    func `variants that several caches store while the index is compacted are all found`() async throws {
        let done = Recorder<Int>()
        for thread in 0..<4 {
            let disk = try fixture.restarted().diskStorage
            Thread.detachNewThread {
                for number in 0..<1000 {
                    // Fails if the index is being written anew for 2 s, which a busy machine may take.
                    _ = (1...50).contains { _ in
                        (try? disk.store(
                            value: Data([1]), forKey: "a", identifier: "\(thread) \(number)", expiration: nil,
                            writeOptions: [], forcedExtension: nil)) != nil
                    }
                    if number % 2 == 0 { try? disk.remove(forKey: "a@\(thread) \(number)") }
                }
                done.append(thread)
            }
        }
        await done.waitFor(count: 4)
        #expect(disk.entryNames.count == 2000)
        try disk.removeVariants(ofKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `variants are not compacted out of the index while they are being stored`() throws {
        let record = try disk.core.variants.add(sha256Hex("a@late"), ofKey: "a")
        for number in 0..<1000 {
            try store(kind: number, in: disk, "a")
            try disk.remove(forKey: "a@size(\(number))")
        }
        // Its lock has kept the file from being compacted.
        #expect(attributes(ofPath: index("a")).map { $0.st_size > 2 * VariantIndex.smallFile } == true)
        try disk.store(value: png, forKey: "a@late")
        try disk.core.variants.finish(record)
        #expect(attributes(ofPath: index("a")).map { $0.st_size < 1000 } == true)
        try disk.removeVariants(ofKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `the index of variants does not grow though a program is being started`() throws {
        let copy = try copyDuringStore()
        defer { close(copy) }
        for number in 0..<1000 {
            try store(kind: number, in: disk, "a")
            try disk.remove(forKey: "a@size(\(number))")
        }
        #expect(attributes(ofPath: index("a")).map { $0.st_size <= VariantIndex.smallFile + 200 } == true)
    }

    /// A copy of the descriptor by which a variant was recorded.
    private func copyDuringStore() throws -> Int32 {
        let record = try disk.core.variants.add(sha256Hex("a@late"), ofKey: "a")
        let copy = try copyOfDescriptor(of: index("a"))
        try disk.core.variants.finish(record)
        return copy
    }

    @Test func `variants are not stored on disk while a stopped process has the index`() throws {
        try store(kind: 1, in: disk, "a")
        let stopped = open(index("a"), O_RDWR | O_CLOEXEC)
        #expect(flock(stopped, LOCK_EX) == 0)
        #expect(throws: KingfisherError.self) { try store(kind: 2, in: disk, "a") }
        flock(stopped, LOCK_UN)
        close(stopped)
        try store(kind: 2, in: disk, "a")
        #expect(disk.entryNames.count == 2)
    }

    @Test func `variants are recorded once another process has compacted the index`() throws {
        try store(kind: 1, in: disk, "a")
        let compacting = open(index("a"), O_RDWR | O_CLOEXEC)
        defer { close(compacting) }
        #expect(flock(compacting, LOCK_EX) == 0)
        let variants = VariantIndex(
            folder: disk.core.folder,
            lockWait: DiskLockWait(seconds: 1000, pause: { flock(compacting, LOCK_UN) }))
        try variants.finish(variants.add(sha256Hex("a@late"), ofKey: "a"))
        #expect(disk.core.variants.names(ofKey: "a").contains(sha256Hex("a@late")))
    }

    @Test(.timeLimit(.minutes(10)))
    func `variants of 16,000 kinds are stored and removed all the same`() async throws {
        let kinds = 16_000
        for number in 0..<kinds {
            if number % 100 == 0 { await Task.yield() }
            try disk.store(
                value: Data([1]), forKey: "\(number % 500)",
                identifier: "com.onevcat.Kingfisher.ResizingImageProcessor((\(number).0, 300.0))",
                expiration: nil, writeOptions: [], forcedExtension: nil)
        }
        let index = disk.fileNames.filter { $0.hasPrefix(".alcedo-variants") }
        #expect(index.count == Int(VariantIndex.shards))
        #expect(disk.entryNames.count == kinds)
        try await fixture.restarted().removeImages(forKey: "7")
        #expect(disk.entryNames.count == kinds - kinds / 500)
    }

    @Test func `variants that can't be removed are reported by the awaited form`() async throws {
        try await store("a", "round")
        unlink(disk.path(forKey: "a@round"))
        mkdir(disk.path(forKey: "a@round"), 0o700)
        try await store("a")
        await #expect(throws: POSIXError.self) { try await cache.removeImages(forKey: "a") }
        #expect(!disk.isCached(forKey: "a"))
    }
}
