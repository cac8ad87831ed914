import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A damaged file of the disk cache` {
    let loading: Loading
    var disk: DiskStorage.Backend<Data> { loading.cache.diskStorage }
    let webp: Data

    init() throws {
        loading = try Loading()
        webp = try Image(bitmap: Sample.bitmap(40, 30)).data(as: .webp)
    }

    private func bytes(of format: String) throws -> Data {
        switch format {
        case "png": Data(try Sample.png(40, 30))
        case "jpeg": Data(try Fixture.data("jpeg/testorig.jpg"))
        case "gif": Data(try Fixture.data("gif/fire.gif"))
        default: webp
        }
    }

    /// Loads an image into the disk cache and returns the path of its file and a manager that has nothing in memory.
    private func cached(_ bytes: Data) async throws -> (url: URL, path: String, manager: KingfisherManager) {
        loading.server.serve("/a", [UInt8](bytes))
        let url = loading.server.url("/a")
        _ = try await loading.manager.retrieveImage(with: url, options: [.waitForCache])
        return (url, loading.cache.cachePath(forKey: url.cacheKey), try loading.restarted())
    }

    /// Puts other content in the place of an entry's file, with its expiry from the first moment: a sweep may look.
    private func overwrite(_ path: String, with content: Data) throws {
        let file = try #require(attributes(ofPath: path))
        let folder = try TemporaryDirectory()
        let other = folder.url.appending(path: "other")
        try content.write(to: other)
        #expect(utimensat(AT_FDCWD, other.path, [file.st_atim, file.st_mtim], 0) == 0)
        #expect(rename(other.path, path) == 0)
    }

    @Test(arguments: ["png", "jpeg", "gif", "webp"], [0, 1, 9, 50, 99])
    func `a cached file that was cut short is loaded again and stored anew`(format: String, percent: Int)
        async throws
    {
        let whole = try bytes(of: format)
        let (url, path, manager) = try await cached(whole)
        // A PNG's end chunk is no loss.
        let needed = whole.count - (format == "png" ? 12 : 0)
        try overwrite(path, with: whole.prefix(needed * percent / 100))
        #expect(loading.cache.isCached(forKey: url.cacheKey))
        let result = try await manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.cacheType == .none)
        #expect(loading.server.requestCount() == 2)
        let stored = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect((stored == whole) as Bool)
        #expect(try await loading.restarted().retrieveImage(with: url).cacheType == .disk)
    }

    @Test func `a damaged cached file is removed, even if nothing takes its place`() async throws {
        let (url, path, manager) = try await cached(bytes(of: "png"))
        try overwrite(path, with: Data("garbage".utf8))
        let options: KingfisherOptionsInfo = [.onlyFromCache]
        let error = await kingfisherError { try await manager.retrieveImage(with: url, options: options) }
        guard case .cacheError(reason: .imageNotExisting(let key)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key == url.cacheKey)
        #expect(attributes(ofPath: path) == nil)
    }

    @Test
    func `a cached file damaged in its middle is removed when decoded in the background`() async throws {
        var png = Data(try Fixture.data("pngsuite/png/basn6a08.png"))
        for index in 60..<90 { png[index] ^= 0xff }
        try await loading.cache.storeToDisk(png, forKey: "a")
        let image = try await loading.cache.retrieveImageInDiskCache(
            forKey: "a", options: [.backgroundDecode])
        #expect(image == nil)
        #expect(disk.entryNames == [])
    }

    @Test
    func `a cached file stays if only one serializer can't read it, or if it was replaced`() async throws {
        let png = try bytes(of: "png")
        try await loading.cache.storeToDisk(png, forKey: "a")
        _ = try await loading.cache.retrieveImageInDiskCache(
            forKey: "a", options: [.cacheSerializer(Refusing())])
        #expect(disk.isCached(forKey: "a"))
        try disk.store(value: Data([1]), forKey: "b")
        let entry = try #require(
            try disk.entry(forKey: "b", forcedExtension: nil, extendingExpiration: .none))
        try disk.store(value: png, forKey: "b")
        disk.core.drop(entry)
        #expect(disk.isCached(forKey: "b"))
    }

    @Test(arguments: ["folder", "link", "pipe", "socket"])
    func `a folder, link or pipe in place of a cached file costs the copy, not the image`(kind: String)
        async throws
    {
        let (url, path, manager) = try await cached(bytes(of: "png"))
        unlink(path)
        switch kind {
        case "folder":
            mkdir(path, 0o700)
            try Data([1]).write(to: URL(fileURLWithPath: path + "/file"))
        case "link": symlink("/etc/passwd", path)
        case "pipe": mkfifo(path, 0o600)
        default: mknod(path, S_IFSOCK | 0o600, 0)
        }
        let result = try await manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.cacheType == .none)
        #expect(disk.isCached(forKey: url.cacheKey) == (kind != "folder"))
        let direct = await kingfisherError {
            try await loading.cache.retrieveImageInDiskCache(forKey: url.cacheKey)
        }
        #expect(direct?.errorCode == (kind == "folder" ? 3004 : nil))
    }

    @Test func `a lookup never sees a damaged file while a cached value is replaced`() async throws {
        let images = try [bytes(of: "png"), bytes(of: "jpeg"), webp].map { $0 }
        try disk.store(value: images[0], forKey: "a")
        let done = Recorder<Bool>()
        Thread.detachNewThread { [disk] in
            for turn in 0..<300 { try? disk.store(value: images[turn % 3], forKey: "a") }
            done.append(true)
        }
        var missed = 0
        while done.count == 0 {
            if try await loading.cache.retrieveImageInDiskCache(forKey: "a", options: [.backgroundDecode])
                == nil
            {
                missed += 1
            }
        }
        #expect(missed == 0)
    }
}

/// Needs the right to mount a file system; without it there is a test of the same in a process with a limit on file sizes.
@Suite(.enabled(if: SmallDisk.isPossible), .timeLimit(.minutes(10))) struct `A full disk` {
    @Test(arguments: [0, 1 << 30] as [UInt])
    func `a full disk costs the cached copy, never the image, and leaves what was there`(sizeLimit: UInt)
        async throws
    {
        let small = try SmallDisk(bytes: 256 << 10)
        let loading = try Loading()
        let cache = try ImageCache.patient(in: small.folder.url)
        cache.diskStorage.config.sizeLimit = sizeLimit
        let manager = KingfisherManager(downloader: loading.downloader, cache: cache)
        try cache.diskStorage.store(value: Data(count: 220 << 10), forKey: "there")
        let jpeg = try Image(decoding: Data(Fixture.data("jpeg/testorig.jpg")))
        let large = try Image(bitmap: jpeg.bitmap()).data(as: .png)
        #expect(large.count > 40 << 10)
        loading.server.serve("/large.png", [UInt8](large))
        let url = loading.server.url("/large.png")
        for _ in 0..<3 {
            let result = try await manager.retrieveImage(
                with: url, options: [.waitForCache, .callbackQueue(.untouch), .forceRefresh])
            #expect(result.image.pixelSize == jpeg.pixelSize)
        }
        do {
            try cache.diskStorage.store(value: large, forKey: "large")
            Issue.record("stored")
        } catch {
            guard case .cacheError(reason: .cannotCreateCacheFile(let file, let key, _, let cause)) = error
            else {
                throw error
            }
            #expect((cause as? POSIXError)?.code == .ENOSPC)
            #expect(key == "large" && file == cache.diskStorage.cacheFileURL(forKey: "large"))
        }
        #expect(try cache.diskStorage.value(forKey: "there")?.count == 220 << 10)
        #expect(cache.diskStorage.entryNames.count == 1)
        #expect(!cache.diskStorage.fileNames.contains { $0.hasPrefix(".alcedo-\(getpid())") })
        try cache.diskStorage.remove(forKey: "there")
        try cache.diskStorage.store(value: large, forKey: "large")
    }

    @Test func `a disk that can't be written at all costs the cached copy, never the image`() async throws {
        let small = try SmallDisk(bytes: 256 << 10)
        let loading = try Loading()
        let cache = try ImageCache.patient(in: small.folder.url)
        let manager = KingfisherManager(downloader: loading.downloader, cache: cache)
        manager.defaultOptions = [.waitForCache, .callbackQueue(.untouch)]
        loading.server.serve("/a.png", try Sample.png(4, 4))
        loading.server.serve("/b.png", try Sample.png(4, 4))
        _ = try await manager.retrieveImage(with: loading.server.url("/a.png"))
        // Nothing may write while it becomes read-only.
        cache.diskStorage.settle()
        var status = mount("none", small.folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
        // A program that is being started beside may have the descriptor of a file that was written, for a moment.
        while status != 0, errno == EBUSY, !Task.isCancelled {
            await Task.yield()
            status = mount("none", small.folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
        }
        try #require(status == 0)
        cache.clearMemoryCache()
        #expect(try await manager.retrieveImage(with: loading.server.url("/a.png")).cacheType == .disk)
        for identifier in ["", "round"] {
            let result = try await manager.retrieveImage(
                with: loading.server.url("/b.png"),
                options: [.processor(ProcessorName(identifier: identifier)), .forceRefresh])
            #expect(result.image.pixelSize == PixelSize(width: 4, height: 4))
        }
        await #expect(throws: POSIXError.self) {
            try await cache.removeImages(forKey: loading.server.url("/a.png").cacheKey)
        }
        await cache.clearDiskCache()
        await cache.cleanExpiredDiskCache()
        #expect(mount("none", small.folder.path, "tmpfs", UInt(MS_REMOUNT), nil) == 0)
    }
}

/// A file system in memory, of a few bytes, for as long as the object lives.
final class SmallDisk: Sendable {
    static let isPossible = (try? SmallDisk(bytes: 4096)) != nil

    let folder: TemporaryDirectory

    init(bytes: Int) throws {
        folder = try TemporaryDirectory()
        guard mount("none", folder.path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw lastPOSIXError() }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }
}
