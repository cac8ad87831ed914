import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo

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

    private var register: String { disk.directoryURL.appendingPathComponent(".alcedo-variants").path }

    private func store(_ key: String, _ identifier: String = "", _ suffix: String? = nil) async throws {
        try await cache.store(
            image, forKey: key, processorIdentifier: identifier, forcedExtension: suffix)
    }

    private static let odd = [
        "round|>blur(2.0)", "a@b", "tab\tline\nend", "100%", "é☃", "%0A", " ",
        String(repeating: "x", count: 9000),
    ]

    @Test(arguments: [true, false])
    func `are removed from memory and disk, and nothing else is`(isAfterRestart: Bool) async throws {
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

    @Test func `are removed by a cache that never stored any, though another process goes on to`()
        async throws
    {
        let other = try fixture.restarted()
        try await store("a", "first")
        try await other.removeImages(forKey: "a")
        try await store("a", "second")
        try await store("a", "first")
        try await other.removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `are removed from memory or from disk only`() async throws {
        try await store("a", "round")
        try await cache.removeImages(forKey: "a", fromMemory: false)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        #expect(disk.entryNames == [])
        try await store("a", "round")
        try await cache.removeImages(forKey: "a", fromDisk: false)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .disk)
    }

    @Test func `are removed after what was stored before, with a callback once`() async throws {
        cache.store(image, forKey: "a", processorIdentifier: "round", completionHandler: nil)
        let removed = Recorder<Int>()
        cache.removeImages(forKey: "a") { [disk] in removed.append(disk.entryNames.count) }
        #expect(cache.retrieveImageInMemoryCache(forKey: "a", options: nil) == nil)
        #expect(await removed.waitFor(count: 1) == [0])
    }

    @Test func `that were promoted from disk are removed from memory`() async throws {
        try await cache.storeToDisk(png, forKey: "a", processorIdentifier: "round")
        let options: KingfisherOptionsInfo = [.processor(ProcessorName(identifier: "round"))]
        _ = try await cache.retrieveImage(forKey: "a", options: options)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        try await cache.removeImages(forKey: "a")
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .none)
    }

    @Test(arguments: [true, false])
    func `are found whatever names their files got`(hashes: Bool) async throws {
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

    @Test func `need no register as long as there are originals only`() async throws {
        try await store("a")
        #expect(disk.fileNames == [sha256Hex("a")])
        try await cache.removeImages(forKey: "a")
        #expect(disk.fileNames == [])
    }

    @Test func `are written down once, in a file that no sweep counts or removes`() async throws {
        for number in 0..<20 { try await store("\(number)", "round") }
        #expect(try String(contentsOfFile: register, encoding: .utf8) == "\nh\tround\t\n")
        // The first store has the cache swept, which must not go on by another clock than it began.
        disk.settle()
        fixture.clock.advance(by: 8 * 86_400)
        #expect(try disk.removeExpiredValues().count == 20)
        #expect(disk.fileNames == [".alcedo-variants"])
        #expect(try disk.totalSize() == 0)
        #expect(try disk.entries().isEmpty)
        #expect(attributes(ofPath: register).map { $0.st_mode & 0o777 } == 0o600)
    }

    @Test func `are written down again when the register was removed while the program runs`() async throws {
        let other = try fixture.restarted()
        try await store("a", "round")
        unlink(register)
        try await store("b", "round")
        try await other.removeImages(forKey: "b")
        #expect(!disk.isCached(forKey: "b@round"))
        await other.clearDiskCache()
        #expect(disk.fileNames == [])
        try await store("c", "round")
        try await other.removeImages(forKey: "c")
        #expect(disk.entryNames == [])
    }

    @Test func `are found in a register with torn lines and garbage`() async throws {
        let garbage =
            Data("h\tro".utf8) + Data([0, 255, 10, 9, 9, 9, 10]) + Data("x\ty\tz\nh\t%ff\t\nh\thalf".utf8)
        try garbage.write(to: URL(fileURLWithPath: register))
        try await store("a", "round")
        try await fixture.restarted().removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `that can't be written down are not stored on disk`() async throws {
        mkdir(register, 0o700)
        let error = await kingfisherError { try await store("a", "round") }
        guard case .cacheError(reason: .cannotCreateCacheFile(let url, let key, _, let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(url.path == register && key == "a@round" && (cause as? POSIXError)?.code == .EISDIR)
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: "round") == .memory)
        try await store("a")
        try await cache.removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `of more kinds than the register holds are not stored on disk`() async throws {
        #expect(FileManager.default.createFile(atPath: register, contents: nil))
        #expect(truncate(register, off_t(DiskVariants.largestFile) - 8) == 0)
        let error = await kingfisherError { try await store("a", "round") }
        guard case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((cause as? POSIXError)?.code == .EDQUOT)
        await cache.clearDiskCache()
        try await store("a", "round")
        #expect(disk.isCached(forKey: "a@round"))
    }

    @Test func `of thousands of kinds are removed all the same`() async throws {
        for number in 0..<2000 {
            try await cache.storeToDisk(Data([1]), forKey: "a", processorIdentifier: "size(\(number))")
        }
        #expect(disk.entryNames.count == 2000)
        try await fixture.restarted().removeImages(forKey: "a")
        #expect(disk.entryNames == [])
    }

    @Test func `that can't be removed are reported by the awaited form`() async throws {
        try await store("a", "round")
        unlink(disk.path(forKey: "a@round"))
        mkdir(disk.path(forKey: "a@round"), 0o700)
        try await store("a")
        await #expect(throws: POSIXError.self) { try await cache.removeImages(forKey: "a") }
        #expect(!disk.isCached(forKey: "a"))
    }
}
