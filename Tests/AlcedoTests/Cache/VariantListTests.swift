import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `The variants of an image in a cache` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    var disk: DiskStorage.Backend<Data> { cache.diskStorage }

    init() throws { fixture = try CacheFixture() }

    private func store(
        _ width: Int, _ identifier: String = "", _ suffix: String? = nil, key: String = "a",
        in cache: ImageCache? = nil, toDisk: Bool = true
    ) async throws {
        let image = try Image(decoding: Data(try Sample.png(width, width / 2)))
        try await (cache ?? self.cache).store(
            image, forKey: key, processorIdentifier: identifier, forcedExtension: suffix, toDisk: toDisk)
    }

    @Test
    func `an image's variants are listed with their processors, sizes, places and expiries`() async throws {
        try await store(60)
        try await store(30, "small")
        try await store(16, "tiny", "thumb")
        try await store(20, "round", toDisk: false)
        try await store(90, key: "ab")
        try await store(90, "small", key: "b")
        let list = await cache.variants(forKey: "a")
        let inMemory = list.prefix(4)
        let onDisk = list.dropFirst(4)
        #expect(inMemory.map(\.processorIdentifier) == ["", "small", "round", "tiny"])
        #expect(inMemory.allSatisfy { $0.cacheType == .memory && $0.fileURL == nil && $0.key == "a" })
        #expect(Set(inMemory.map(\.expiration)) == [fixture.clock.now + 300])
        #expect(
            inMemory.map(\.byteCount) == (try inMemory.map { try Sample.png($0.width, $0.width / 2).count }))
        #expect(onDisk.map(\.processorIdentifier) == ["", "small", "tiny"])
        #expect(onDisk.map(\.width) == [60, 30, 16])
        #expect(onDisk.allSatisfy { $0.cacheType == .disk })
        #expect(Set(onDisk.map(\.expiration)) == [fixture.clock.now + 7 * 86_400])
        #expect(onDisk.allSatisfy { $0.pixelSize == PixelSize(width: $0.width, height: $0.width / 2) })
        for variant in onDisk {
            #expect(try Data(contentsOf: #require(variant.fileURL)).count == variant.byteCount)
        }
        #expect(await cache.variants(forKey: "c") == [])
    }

    private static let odd = ["round|>blur(2.0)", "a@b", "tab\tline\nend", "100%", "é☃", "%0A", " "]

    @Test(arguments: [true, false])
    func `variants are known by name after a restart, whatever their files are called`(hashes: Bool)
        async throws
    {
        disk.config.usesHashedFileName = hashes
        for (number, identifier) in Self.odd.enumerated() {
            try await store(10 + number, identifier, number % 2 == 0 ? nil : "png", key: "http://a/b.png")
        }
        let restarted = try fixture.restarted()
        restarted.diskStorage.config.usesHashedFileName = hashes
        let list = await restarted.variants(forKey: "http://a/b.png")
        #expect(Set(list.map(\.processorIdentifier)) == Set(Self.odd))
        for variant in list {
            let image = try await restarted.retrieveImage(of: variant)
            #expect(image?.pixelSize.width == variant.width)
        }
        #expect(await restarted.variants(forKey: "http://a/b.png").count == 2 * Self.odd.count, "promoted")
    }

    @Test
    func `the list of variants follows stores and removals that have not reached the disk`() async throws {
        let image = try Image(decoding: Data(try Sample.png(60, 30)))
        for round in 0..<20 {
            cache.store(image, forKey: "a", processorIdentifier: "\(round)", completionHandler: nil)
            #expect(await cache.variants(forKey: "a").map(\.cacheType) == [.memory, .disk])
            cache.removeImages(forKey: "a", completionHandler: nil)
            #expect(await cache.variants(forKey: "a") == [])
        }
    }

    @Test
    func `listing variants leaves out what has expired, and extends and touches nothing`() async throws {
        try await store(60, "small")
        cache.cleanIfDue()
        disk.settle()
        fixture.clock.advance(by: 299)
        let before = try disk.entries().map(\.lastAccess)
        #expect(await cache.variants(forKey: "a").count == 2)
        fixture.clock.advance(by: 1)
        #expect(await cache.variants(forKey: "a").map(\.cacheType) == [.disk])
        #expect(try disk.entries().map(\.lastAccess) == before)
        fixture.clock.advance(by: 7 * 86_400 - 300)
        #expect(await cache.variants(forKey: "a") == [])
    }

    @Test func `the list of variants includes evicted images in use`() async throws {
        cache.memoryStorage.config.keepWhileInUse = true
        let image = try Image(decoding: Data(try Sample.png(60, 30)))
        try await cache.store(image, forKey: "a", processorIdentifier: "small", toDisk: false)
        cache.clearMemoryCache()
        #expect(await cache.variants(forKey: "a").map(\.processorIdentifier) == ["small"])
        withExtendedLifetime(image) {}
    }

    @Test func `variants of an earlier version are listed without a name`() async throws {
        try disk.store(value: Data(try Sample.png(60, 30)), forKey: "a@old")
        try disk.core.variants.finish(disk.core.variants.add(sha256Hex("a@old"), ofKey: "a"))
        try await store(10, "new")
        let list = await cache.variants(forKey: "a")
        #expect(list.map(\.processorIdentifier) == ["new", nil, "new"])
        #expect(try await cache.retrieveImage(of: list[1]) == nil)
        #expect(await cache.bestVariant(forKey: "a", size: PixelSize(width: 60, height: 30))?.width == 10)
    }

    @Test
    func `variants can be removed by an earlier version, which reads lines without names`() async throws {
        try await store(10, "new")
        let index = try Data(contentsOf: disk.url(of: VariantIndex.fileName(ofKey: "a")))
        let lines = String(decoding: index, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "\t")
        }
        #expect(lines.filter { $0.count == 2 }.map { $0[1] } == [Substring(sha256Hex("a@new"))])
        #expect(lines.filter { $0.count == 3 }.map { $0[2] } == ["new"])
    }

    @Test func `variants are not renamed by a wrong index`() async throws {
        try await store(60, "secret", key: "b")
        try disk.core.variants.finish(
            disk.core.variants.add(sha256Hex("b@secret"), ofKey: "a", identifier: "secret"))
        #expect(await cache.variants(forKey: "a").map(\.processorIdentifier) == [nil])
        #expect(await cache.bestVariant(forKey: "a", size: PixelSize(width: 1, height: 1)) == nil)
    }

    @Test func `variants keep their names when the index is compacted`() async throws {
        try await store(60, "kept")
        for number in 0..<300 {
            try disk.store(
                value: Data([1]), forKey: "a", identifier: "\(number)", expiration: nil, writeOptions: [],
                forcedExtension: nil)
            try disk.remove(forKey: "a@\(number)")
        }
        let file = attributes(ofPath: disk.core.folder.path(of: VariantIndex.fileName(ofKey: "a")))
        #expect(file.map { $0.st_size <= VariantIndex.smallFile + 200 } == true)
        #expect(await cache.variants(forKey: "a").map(\.processorIdentifier) == ["kept", "kept"])
    }

    @Test
    func `a variant's size is that of the photo turned upright, and none if it is no image`() async throws {
        let photograph = Data(try Fixture.data("exif-orientation/Landscape_6.jpg"))
        #expect(photograph.count > 200_000)
        try await cache.storeToDisk(photograph, forKey: "a")
        try await cache.storeToDisk(Data("text".utf8), forKey: "a", processorIdentifier: "text")
        try await cache.storeToDisk(Data(), forKey: "a", processorIdentifier: "empty")
        let list = await cache.variants(forKey: "a")
        #expect(list.map(\.processorIdentifier) == ["", "text", "empty"])
        #expect(list.map(\.pixelSize) == [PixelSize(width: 1800, height: 1200), nil, nil])
    }

    // MARK: - The best one

    @Test(arguments: [
        (1, 1, "tiny"), (16, 8, "tiny"), (16, 9, "small"), (17, 1, "small"), (60, 30, ""), (90, 90, ""),
    ])
    func `the best variant is the smallest that covers a size, else the largest`(
        width: Int, height: Int, best: String
    ) async throws {
        try await store(30, "small")
        try await store(60)
        try await store(16, "tiny")
        let size = PixelSize(width: width, height: height)
        #expect(await cache.bestVariant(forKey: "a", size: size)?.processorIdentifier == best)
        #expect(await cache.bestVariant(forKey: "a", size: size)?.cacheType == .memory)
        cache.clearMemoryCache()
        let found = try #require(await cache.bestVariant(forKey: "a", size: size))
        #expect(found.processorIdentifier == best && found.cacheType == .disk)
        #expect(try await cache.retrieveImage(of: found)?.pixelSize == found.pixelSize)
        #expect(
            cache.imageCachedType(forKey: "a", processorIdentifier: best) == .memory, "it was promoted")
        #expect(await cache.bestVariant(forKey: "b", size: size) == nil)
    }

    @Test func `the best of several variants of one size is one that looks like the original`() async throws {
        let round = RoundCornerImageProcessor(cornerRadius: 3).identifier
        let sized = DownsamplingImageProcessor(size: CGSize(width: 30, height: 15)).identifier
        try await store(30, round)
        try await store(30, sized)
        try await store(30, sized + "|>" + round)
        let size = PixelSize(width: 30, height: 15)
        #expect(await cache.bestVariant(forKey: "a", size: size)?.processorIdentifier == sized)
        try await store(30)
        #expect(
            ["", sized].contains(await cache.bestVariant(forKey: "a", size: size)?.processorIdentifier))
    }
}

extension ImageVariant {
    fileprivate var width: Int { pixelSize?.width ?? 0 }
}
