import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `An encrypted disk cache` {
    let loading: Loading
    let png: Data
    let first = Data((0..<32).map { UInt8($0) })
    let second = Data((0..<32).map { UInt8(255 - $0) })
    var disk: DiskStorage.Backend<Data> { loading.cache.diskStorage }

    init() throws {
        loading = try Loading()
        png = Data(try Sample.png(4, 4))
        disk.config.transform = try AESGCMTransform(keys: ["1": first], current: "1")
    }

    private func content(forKey key: String) throws -> Data {
        try Data(contentsOf: disk.cacheFileURL(forKey: key))
    }

    /// Puts other bytes into an entry's file, with a checksum that fits them, as somebody would who can write there.
    private func forge(_ bytes: Data, forKey key: String) throws {
        let name = disk.fileName(forKey: key, forcedExtension: nil)
        let file = NewFile(name: name, data: bytes, stamp: .never, accessed: Date(), replaces: true)
        _ = try disk.core.folder.write(file) { _ in true }
    }

    @Test
    func `an encrypted disk cache serves what it stored, and its files show nothing of that`() async throws {
        loading.server.serve("/a", [UInt8](png))
        let url = loading.server.url("/a")
        let options: KingfisherOptionsInfo = [
            .waitForCache, .cacheOriginalImage, .processor(BlackWhiteProcessor()),
        ]
        _ = try await loading.manager.retrieveImage(with: url, options: options)
        #expect(disk.entryNames.count == 2)
        for name in disk.fileNames {
            let file = try Data(contentsOf: disk.directoryURL.appending(path: name))
            #expect(file.range(of: png.prefix(8)) == nil && file.range(of: png.suffix(12)) == nil)
            #expect(file.range(of: Data("127.0.0.1".utf8)) == nil)
            #expect(file.range(of: Data(BlackWhiteProcessor().identifier.utf8)) == nil)
        }
        let onDisk = await loading.cache.variants(forKey: url.cacheKey).filter { $0.cacheType == .disk }
        #expect(onDisk.count == 2 && onDisk.allSatisfy { $0.pixelSize == nil })
        let restarted = try loading.restarted()
        restarted.cache.diskStorage.config.transform = disk.config.transform
        #expect(try await restarted.retrieveImage(with: url, options: options).cacheType == .disk)
        #expect(loading.server.requestCount() == 1)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 15_000])
    func `an encrypted disk cache takes 40 bytes more an entry`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        try disk.store(value: data, forKey: "a")
        #expect(try content(forKey: "a").count == count + AESGCMTransform.overhead)
        #expect(try disk.value(forKey: "a") == data)
        let other = try content(forKey: "a")
        try disk.store(value: data, forKey: "a")
        #expect(try content(forKey: "a") != other)
    }

    @Test func `an encrypted disk cache misses an entry with any bit flipped`() async throws {
        try disk.store(value: png, forKey: "a")
        let intact = try content(forKey: "a")
        for offset in intact.indices {
            var bytes = intact
            bytes[offset] ^= 1 << UInt8(offset % 8)
            try forge(bytes, forKey: "a")
            let image = try await loading.cache.retrieveImageInDiskCache(forKey: "a")
            #expect(image == nil, "byte \(offset)")
            // The version and the key of another program's entry may be valid.
            #expect(disk.isCached(forKey: "a") == (3..<12).contains(offset), "byte \(offset)")
        }
        try forge(intact, forKey: "a")
        #expect(try await loading.cache.retrieveImageInDiskCache(forKey: "a") != nil)
    }

    @Test func `an encrypted disk cache misses an entry that was truncated, or lengthened`() throws {
        try disk.store(value: png, forKey: "a")
        let intact = try content(forKey: "a")
        for count in intact.indices {
            try forge(intact.prefix(count), forKey: "a")
            #expect(try disk.value(forKey: "a") == nil, "\(count) bytes")
        }
        try forge(intact + [0], forKey: "a")
        #expect(try disk.value(forKey: "a") == nil)
    }

    @Test func `an encrypted disk cache misses an entry that another one's file was put over`() throws {
        try disk.store(value: Data([1]), forKey: "a")
        try disk.store(value: Data([2]), forKey: "b")
        try forge(content(forKey: "a"), forKey: "b")
        #expect(try disk.value(forKey: "b") == nil)
        #expect(try disk.value(forKey: "a") == Data([1]))
    }

    @Test
    func `an encrypted disk cache reads entries of older keys, and keeps those of a missing key`() throws {
        try disk.store(value: Data([1]), forKey: "old")
        disk.config.transform = try AESGCMTransform(keys: ["1": first, "2": second], current: "2")
        try disk.store(value: Data([2]), forKey: "new")
        #expect(try disk.value(forKey: "old") == Data([1]))
        disk.config.transform = try AESGCMTransform(keys: ["1": first], current: "1")
        #expect(try disk.value(forKey: "new") == nil)
        // The same identifier with other bytes is another key.
        disk.config.transform = try AESGCMTransform(keys: ["2": first], current: "2")
        #expect(try disk.value(forKey: "new") == nil && disk.value(forKey: "old") == nil)
        disk.config.transform = try AESGCMTransform(keys: ["1": first, "2": second], current: "1")
        #expect(try disk.value(forKey: "new") == Data([2]))
        #expect(try disk.value(forKey: "old") == Data([1]))
    }

    @Test
    func `an encrypted disk cache removes plain entries; a plain one misses encrypted ones`() async throws {
        try disk.store(value: png, forKey: "encrypted")
        let transform = disk.config.transform
        disk.config.transform = nil
        try disk.store(value: png, forKey: "plain")
        #expect(try await loading.cache.retrieveImageInDiskCache(forKey: "encrypted") == nil)
        disk.config.transform = transform
        #expect(try await loading.cache.retrieveImageInDiskCache(forKey: "plain") == nil)
        #expect(!disk.isCached(forKey: "plain"))
        #expect(try await loading.cache.retrieveImageInDiskCache(forKey: "encrypted") != nil)
    }

    @Test func `an encrypted disk cache rejects a key that is too short, or missing`() {
        #expect(throws: DiskEncryptionError.keyLength(identifier: "1", bytes: 16)) {
            try AESGCMTransform(keys: ["1": first.prefix(16)], current: "1")
        }
        #expect(throws: DiskEncryptionError.missingKey(identifier: "2")) {
            try AESGCMTransform(keys: ["1": first], current: "2")
        }
    }

    @Test func `an encrypted disk cache stores nothing if its transform fails`() throws {
        struct Failing: DiskTransform {
            func seal(_ data: Data, fileName: String) throws -> Data { throw POSIXError(.EIO) }
            func open(_ bytes: Data, fileName: String) throws(DiskTransformError) -> Data { bytes }
        }
        disk.config.transform = Failing()
        do {
            try disk.store(value: png, forKey: "a")
            Issue.record("stored")
        } catch {
            guard case .cacheError(reason: .cannotConvertToData(_, let cause)) = error else { throw error }
            #expect((cause as? POSIXError)?.code == .EIO)
        }
        #expect(disk.entryNames == [])
    }

    @Test func `a cache of HTTP responses may be encrypted`() async throws {
        let folder = try TemporaryDirectory()
        func downloader() -> (ImageDownloader, HTTPCache) {
            let cache = HTTPCache(
                memoryCapacity: 0, diskCapacity: 1 << 24, directory: folder.url,
                transform: disk.config.transform, timeout: .seconds(1000))
            let configuration = loading.downloader.sessionConfiguration
            configuration.urlCache = cache
            let downloader = ImageDownloader(name: "encrypted")
            downloader.downloadTimeout = 120
            downloader.sessionConfiguration = configuration
            return (downloader, cache)
        }
        loading.server.serve("/a", [UInt8](png), headers: [("Cache-Control", "max-age=1000")])
        let url = loading.server.url("/a")
        let (first, cache) = downloader()
        _ = try await first.downloadImage(with: url, options: [Caching.policy()])
        cache.responses.waitForDisk()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let entry = try #require(names.first { !$0.hasPrefix(".") })
        let file = try Data(contentsOf: folder.url.appending(path: entry))
        #expect(file.starts(with: Data("ALC".utf8)) && file.range(of: Data("max-age".utf8)) == nil)
        _ = try await downloader().0.downloadImage(with: url, options: [Caching.policy()])
        #expect(loading.server.requestCount() == 1)
    }
}
