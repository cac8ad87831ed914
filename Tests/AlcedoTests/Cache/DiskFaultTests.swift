import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.serialized) struct `A disk storage in trouble` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
    }

    @Test func `a disk storage makes a missing folder again when it stores`() throws {
        try FileManager.default.removeItem(at: fixture.parent.url)
        #expect(try storage.value(forKey: "a") == nil)
        try storage.store(value: Data([1]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([1]))
    }

    @Test func `a disk storage does not follow a link at an entry's name`() throws {
        let secret = fixture.parent.file("secret")
        try Data([9]).write(to: secret)
        symlink(secret.path, storage.path(forKey: "a"))
        #expect(KingfisherError.code { try storage.value(forKey: "a") } == 3004)
        #expect(!storage.isCached(forKey: "a"))
        try storage.store(value: Data([1]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([1]))
        #expect(try Data(contentsOf: secret) == Data([9]))
        try storage.remove(forKey: "a")
        symlink(secret.path, storage.path(forKey: "a"))
        try storage.remove(forKey: "a")
        #expect(try Data(contentsOf: secret) == Data([9]))
        #expect(storage.fileNames == [])
    }

    @Test func `a disk storage finds nothing in a folder that can't be entered`() throws {
        try storage.store(value: Data([1]), forKey: "a")
        let path = storage.directoryURL.path
        try FileManager.default.removeItem(atPath: path)
        // Root may enter what permissions forbid, but nobody gets to the end of a link to itself.
        symlink(path, path)
        #expect(try storage.value(forKey: "a") == nil)
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test func `a disk storage does not hang on a pipe at an entry's name`() throws {
        mkfifo(storage.path(forKey: "a"), 0o600)
        #expect(KingfisherError.code { try storage.value(forKey: "a") } == 3004)
        #expect(!storage.isCached(forKey: "a"))
        try storage.store(value: Data([1]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([1]))
    }

    @Test func `a disk storage fails on a folder at an entry's name, and leaves nothing behind`() throws {
        mkdir(storage.path(forKey: "a"), 0o700)
        #expect(KingfisherError.code { try storage.value(forKey: "a") } == 3004)
        #expect(KingfisherError.code { try storage.store(value: Data([1]), forKey: "a") } == 3009)
        #expect(!storage.isCached(forKey: "a"))
        #expect(throws: POSIXError.self) { try storage.remove(forKey: "a") }
        #expect(storage.fileNames == [sha256Hex("a")])
    }

    @Test func `a disk storage rejects a file too large for an entry without taking memory for it`() throws {
        try storage.store(value: Data([1]), forKey: "a")
        let stamp = try #require(storage.file(forKey: "a")).stamp
        #expect(truncate(storage.path(forKey: "a"), 1 << 40) == 0)
        utimensat(AT_FDCWD, storage.path(forKey: "a"), [timespec(fixture.clock.now), stamp.time], 0)
        #expect(KingfisherError.code { try storage.value(forKey: "a") } == 3004)
    }

    @Test func `a disk storage says that its folder can't be made`() throws {
        try Data().write(to: fixture.parent.file("file"))
        var config = fixture.config
        config.cachePathBlock = { directory, _ in directory.appendingPathComponent("file/below") }
        #expect(KingfisherError.code { try DiskStorage.Backend<Data>(config: config) } == 3005)
        let storage = DiskStorage.Backend<Data>(unchecked: config)
        #expect(KingfisherError.code { try storage.store(value: Data(), forKey: "a") } == 3011)
        #expect(KingfisherError.code { try storage.value(forKey: "a") } == 3011)
        #expect(KingfisherError.code { try storage.remove(forKey: "a") } == 3011)
        #expect(KingfisherError.code { try storage.removeAll() } == 3011)
        #expect(KingfisherError.code { try storage.totalSize() } == 3011)
        #expect(KingfisherError.code { try storage.removeExpiredValues() } == 3011)
        #expect(KingfisherError.code { try storage.removeSizeExceededValues() } == 3011)
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test func `a disk storage says that its folder can't be written`() throws {
        var config = fixture.config
        config.cachePathBlock = { _, _ in URL(fileURLWithPath: "/proc/self") }
        let storage = try DiskStorage.Backend<Data>(config: config)
        #expect(KingfisherError.code { try storage.store(value: Data([1]), forKey: "a") } == 3009)
        #expect(try storage.value(forKey: "a") == nil)
    }
}
