import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Originals, processed images and response records, encrypted, in the hands of somebody who can write to the folder.
@Suite(.timeLimit(.minutes(10)))
struct `Encrypted entries of all kinds` {
    private let fixture: FreshFixture
    private let small = ResizingImageProcessor(referenceSize: CGSize(width: 2, height: 2))
    private let keys = ["1": Data(repeating: 1, count: 32), "2": Data(repeating: 2, count: 32)]
    private var disk: DiskStorage.Backend<Data> { fixture.cache.diskStorage }

    init() async throws {
        fixture = try FreshFixture()
        disk.config.transform = try AESGCMTransform(keys: keys, current: "1")
        // Pictures of two widths, so that one that is under another's name shows it.
        try fixture.serve("/a", width: 4, headers: [("Cache-Control", "max-age=60")])
        try fixture.serve("/b", width: 6, tag: "\"2\"", headers: [("Cache-Control", "max-age=600")])
        for path in ["/a", "/b"] {
            _ = try await fixture.load(path, [.processor(small), .cacheOriginalImage])
        }
        try await fixture.settle()
    }

    /// The keys of an image's entries: its original, a processed image and its response.
    private func entries(_ path: String) -> [String] {
        ["", small.identifier, ResponseRecord.identifier].map {
            fixture.server.address(path).computedKey(with: $0)
        }
    }

    private func content(forKey key: String) throws -> Data {
        try Data(contentsOf: disk.cacheFileURL(forKey: key))
    }

    /// Puts bytes into an entry's file, with a checksum that fits them.
    private func forge(_ bytes: Data, forKey key: String) throws {
        let name = disk.fileName(forKey: key, forcedExtension: nil)
        let file = NewFile(name: name, data: bytes, stamp: .never, accessed: Date(), replaces: true)
        _ = try disk.core.folder.write(file) { _ in true }
    }

    /// The widths of the original and of the processed image, by a manager with nothing in memory.
    private func widths(_ path: String) async throws -> [CGFloat] {
        let manager = try fixture.restarted()
        manager.cache.diskStorage.config.transform = disk.config.transform
        let original = try await fixture.load(path, by: manager)
        let processed = try await fixture.load(path, [.processor(small), .cacheOriginalImage], by: manager)
        try await fixture.settle(manager)
        return [original.image.size.width, processed.image.size.width]
    }

    @Test func `originals, processed images and responses are stored encrypted`() throws {
        for key in entries("/a") + entries("/b") {
            #expect(try content(forKey: key).starts(with: Data("ALC".utf8)))
        }
    }

    @Test(arguments: 0..<3)
    func `encrypted entries of all kinds are missed with any byte changed`(kind: Int) throws {
        let key = entries("/a")[kind]
        let intact = try content(forKey: key)
        for offset in intact.indices {
            var bytes = intact
            bytes[offset] ^= 1 << UInt8(offset % 8)
            try forge(bytes, forKey: key)
            #expect(try disk.value(forKey: key) == nil, "byte \(offset)")
        }
        for count in 0..<intact.count {
            try forge(intact.prefix(count), forKey: key)
            #expect(try disk.value(forKey: key) == nil, "\(count) bytes")
        }
    }

    @Test func `encrypted entries of all kinds are missed under another one's name`() async throws {
        let all = entries("/a") + entries("/b")
        let intact = try all.map { try content(forKey: $0) }
        let expected = try await [widths("/a"), widths("/b")]
        for (source, bytes) in zip(all, intact) {
            for target in all where target != source {
                try forge(bytes, forKey: target)
                #expect(try disk.value(forKey: target) == nil)
                #expect(try await [widths("/a"), widths("/b")] == expected)
                for (key, bytes) in zip(all, intact) { try forge(bytes, forKey: key) }
            }
        }
    }

    @Test func `encrypted entries outlive a change of keys, and are missed without their key`() async throws {
        let requests = fixture.server.requestCount()
        disk.config.transform = try AESGCMTransform(keys: keys, current: "2")
        #expect(try await widths("/a")[0] == 4)
        #expect(fixture.server.requestCount() == requests)
        disk.config.transform = try AESGCMTransform(keys: ["2": Data(repeating: 2, count: 32)], current: "2")
        for key in entries("/b") { #expect(try disk.value(forKey: key) == nil) }
        #expect(try await widths("/b")[0] == 6)
        #expect(fixture.server.requestCount() > requests)
    }
}

/// Responses of an HTTP cache and bodies that broke off, encrypted.
@Suite(.timeLimit(.minutes(10)))
struct `Encrypted responses and partial bodies` {
    private let server: LoopbackServer
    private let folder: TemporaryDirectory
    private let transform: AESGCMTransform

    init() throws {
        (server, folder) = (try LoopbackServer(), try TemporaryDirectory())
        transform = try AESGCMTransform(keys: ["1": Data(repeating: 1, count: 32)], current: "1")
    }

    /// The width of the image at `path`, by an HTTP cache with nothing in memory.
    private func width(_ path: String) async throws -> CGFloat {
        let cache = HTTPCache(
            memoryCapacity: 0, diskCapacity: 1 << 24, directory: folder.url, transform: transform,
            timeout: .seconds(1000))
        let downloader = ImageDownloader(name: "encrypted")
        downloader.downloadTimeout = 120
        let configuration = downloader.sessionConfiguration
        configuration.urlCache = cache
        downloader.sessionConfiguration = configuration
        let result = try await downloader.downloadImage(
            with: server.url(path), options: [Caching.policy()])
        cache.responses.waitForDisk()
        return result.image.size.width
    }

    private var files: [URL] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
                .map { folder.file($0) }
        }
    }

    @Test func `encrypted responses are not used for another URL, nor with a byte changed`() async throws {
        for (path, size) in [("/a", 4), ("/b", 6)] {
            server.serve(
                path, try [UInt8](Sample.png(size, size)), headers: [("Cache-Control", "max-age=1000")])
        }
        #expect(try await width("/a") == 4)
        let first = try #require(try files.first)
        #expect(try await width("/b") == 6)
        let second = try #require(try files.first { $0 != first })
        let (a, b) = (try Data(contentsOf: first), try Data(contentsOf: second))
        #expect(try await width("/a") == 4)
        #expect(server.requestCount() == 2)
        // Written in place, so that the file keeps its attributes.
        try b.write(to: first)
        try a.write(to: second)
        #expect(try await [width("/a"), width("/b")] == [4, 6])
        #expect(server.requestCount() == 4)
        for offset in stride(from: 0, to: a.count, by: 3) {
            var bytes = a
            bytes[offset] ^= 1 << UInt8(offset % 8)
            try bytes.write(to: first)
            #expect(try await width("/a") == 4, "byte \(offset)")
        }
    }

    @Test func `encrypted partial bodies are not resumed for another URL`() async throws {
        let images = [try Resuming.noise(seed: 1), try Resuming.noise(seed: 2)]
        let folder = folder
        func load(_ path: String) async -> [UInt8]? {
            let downloads = ResumableDownloads(
                PartialFolder(
                    path: folder.path, byteLimit: 1 << 24, expiration: 86_400, transform: transform,
                    timeout: { _, _ in {} }))
            let downloader = ImageDownloader(name: "partial")
            downloader.downloadTimeout = 120
            downloader.resumableDownloads = downloads
            let result = try? await downloader.downloadImage(with: server.url(path))
            downloads.waitForDisk()
            return result.map { [UInt8]($0.originalData) }
        }
        for (path, image) in zip(["/a", "/b"], images) {
            let (count, first) = (
                CallCounter(), Reply(body: image, headers: [("ETag", "\"1\"")]).cut(after: 200_000)
            )
            server.route(path) { count.increment() == 1 ? first : Resuming.rest($0, of: image) }
        }
        #expect(await load("/a") == nil)
        let first = try #require(try files.first)
        #expect(await load("/b") == nil)
        let second = try #require(try files.first { $0 != first })
        let (a, b) = (try Data(contentsOf: first), try Data(contentsOf: second))
        try b.write(to: first)
        try a.write(to: second)
        #expect(await load("/a") == images[0])
        #expect(await load("/b") == images[1])
        #expect(server.requests().compactMap { $0.header("Range") } == [])
    }
}
