import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A disk storage` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
    }

    @Test(arguments: [0, 1, 15, 4096, 1_000_003])
    func `a disk storage keeps a value as a file of exactly its bytes`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try storage.store(value: data, forKey: "a")
        #expect(try storage.value(forKey: "a") == data)
        #expect(try Data(contentsOf: storage.cacheFileURL(forKey: "a")) == data)
        #expect(storage.fileNames == [sha256Hex("a")])
        #expect(try storage.totalSize() == UInt(count))
    }

    @Test func `a disk storage's folder is where Kingfisher has it, and its owner's only`() throws {
        #expect(storage.directoryURL.path == fixture.parent.path + "/com.onevcat.Kingfisher.ImageCache.test")
        try storage.store(value: Data([1]), forKey: "a")
        let folder = try #require(attributes(ofPath: storage.directoryURL.path))
        #expect(folder.st_mode & 0o777 == 0o700)
        #expect(storage.file(forKey: "a").map { $0.st_mode & 0o777 } == 0o600)
    }

    @Test func `a disk storage asks the configuration for its folder once, and frees the closure`() throws {
        var config = fixture.config
        config.cachePathBlock = { directory, name in directory.appendingPathComponent("deep/er/\(name)") }
        let storage = try DiskStorage.Backend<Data>(config: config)
        #expect(storage.directoryURL.path.hasSuffix("/deep/er/com.onevcat.Kingfisher.ImageCache.test"))
        #expect(storage.config.cachePathBlock == nil)
    }

    @Test func `a disk storage replaces a value, and removes it`() throws {
        try storage.store(value: Data([1]), forKey: "a")
        try storage.store(value: Data([2, 2]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([2, 2]))
        try storage.remove(forKey: "a")
        #expect(try storage.value(forKey: "a") == nil)
        #expect(!storage.isCached(forKey: "a"))
        try storage.remove(forKey: "a")
    }

    @Test func `a disk storage overwrites nothing when asked not to`() throws {
        try storage.store(value: Data([1]), forKey: "a", writeOptions: .withoutOverwriting)
        #expect(
            KingfisherError.code {
                try storage.store(value: Data([2]), forKey: "a", writeOptions: .withoutOverwriting)
            }
                == 3009)
        #expect(try storage.value(forKey: "a") == Data([1]))
        #expect(storage.fileNames.count == 1)
    }

    @Test func `a disk storage keeps values of different extensions apart`() throws {
        try storage.store(value: Data([1]), forKey: "a", forcedExtension: "png")
        #expect(try storage.value(forKey: "a") == nil)
        #expect(try storage.value(forKey: "a", forcedExtension: "png") == Data([1]))
        #expect(storage.isCached(forKey: "a", forcedExtension: "png"))
        try storage.remove(forKey: "a", forcedExtension: "png")
        #expect(storage.fileNames == [])
    }

    @Test func `a disk storage shares its folder with another one`() throws {
        let other = try fixture.storage()
        try storage.store(value: Data([1]), forKey: "a")
        #expect(other.isCached(forKey: "a"))
        #expect(try other.value(forKey: "a") == Data([1]))
        try other.store(value: Data([2]), forKey: "a")
        #expect(try storage.value(forKey: "a") == Data([2]))
        try other.remove(forKey: "a")
        #expect(try storage.value(forKey: "a") == nil)
    }

    @Test func `a reader sees all of a value or none while others write and remove it`() async throws {
        let values = (0..<4).map { Data(repeating: UInt8($0), count: 20_000 + $0) }
        let other = try fixture.storage()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, writer) in [storage, other].enumerated() {
                group.addTask {
                    for turn in 0..<200 {
                        try writer.store(value: values[(turn + number) % 4], forKey: "a")
                        if turn % 7 == 0 { try writer.remove(forKey: "a") }
                    }
                }
            }
            group.addTask {
                for _ in 0..<400 {
                    if let data = try storage.value(forKey: "a") { #expect(values.contains(data)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(storage.fileNames.filter { $0.hasPrefix(".") } == [])
    }

    @Test func `a disk storage says when a value can't become bytes or come from them`() throws {
        let stubborn = try DiskStorage.Backend<Stubborn>(config: fixture.config)
        #expect(KingfisherError.code { try stubborn.store(value: Stubborn(), forKey: "a") } == 3007)
        try storage.store(value: Data([1]), forKey: "a")
        #expect(KingfisherError.code { try stubborn.value(forKey: "a") } == 3004)
    }
}

private struct Stubborn: DataTransformable {
    static let empty = Stubborn()

    static func fromData(_ data: Data) throws -> Stubborn { throw CocoaError(.coderInvalidValue) }

    func toData() throws -> Data { throw CocoaError(.coderInvalidValue) }
}

struct `Expiry on disk` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>
    var clock: TestClock { fixture.clock }

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
    }

    @Test func `expiry on disk is rounded up to whole seconds`() throws {
        clock.advance(by: 0.25)
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(10.5))
        clock.advance(by: 10.7)
        #expect(storage.isCached(forKey: "a"))
        clock.advance(by: 0.05)
        #expect(!storage.isCached(forKey: "a"))
        #expect(try storage.value(forKey: "a") == nil)
    }

    @Test func `expiry on disk is the configuration's unless told otherwise, a week by default`() throws {
        try storage.store(value: Data([1]), forKey: "a")
        try storage.store(value: Data([1]), forKey: "b", expiration: .days(8))
        try storage.store(value: Data([1]), forKey: "c", expiration: .never)
        try storage.store(value: Data([1]), forKey: "d", expiration: .date(.distantFuture))
        let week = clock.now + 7 * 86_400
        #expect(
            ["a", "b", "c"].map { storage.isCached(forKey: $0, referenceDate: week) } == [false, true, true])
        #expect(storage.isCached(forKey: "a", referenceDate: week - 1))
        let later = clock.now + 300 * 365 * 86_400
        #expect(
            ["b", "c", "d"].map { storage.isCached(forKey: $0, referenceDate: later) } == [false, true, true])
    }

    @Test(arguments: [StorageExpiration.expired, .seconds(0), .seconds(.nan), .days(-3), .date(.distantPast)])
    func `a store on disk that has expired already stores nothing and removes nothing`(
        expiration: StorageExpiration
    ) throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: expiration)
        #expect(storage.fileNames == [])
        try storage.store(value: Data([2]), forKey: "a")
        try storage.store(value: Data([3]), forKey: "a", expiration: expiration)
        #expect(try storage.value(forKey: "a") == Data([2]))
    }

    @Test func `a file that has expired stays in place until a sweep`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(1))
        try storage.store(value: Data([1]), forKey: "b", expiration: .seconds(9))
        clock.advance(by: 1)
        #expect(try storage.value(forKey: "a") == nil)
        #expect(storage.fileNames.count == 2)
        #expect(try storage.removeExpiredValues().map(\.path) == [storage.path(forKey: "a")])
        #expect(try storage.removeExpiredValues() == [])
        #expect(storage.isCached(forKey: "b"))
    }

    @Test func `a file keeps its lifetime over a hundred reads, whatever the configuration says`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(30))
        storage.config.expiration = .days(365)
        for _ in 0..<100 {
            clock.advance(by: 29.3)
            #expect(try storage.value(forKey: "a") != nil)
            storage.settle()
        }
        let file = try #require(storage.file(forKey: "a"))
        #expect(
            file.stamp
                == DiskStamp(expiry: Int((clock.now.timeIntervalSince1970 + 30).rounded(.up)), lifetime: 30))
        #expect(file.st_atim.tv_sec == Int(clock.now.timeIntervalSince1970))
        clock.advance(by: 31)
        #expect(try storage.value(forKey: "a") == nil)
    }

    @Test func `expiry on disk is extended by reading as the caller says, and not by asking`() throws {
        for key in ["asked", "none", "again", "other", "over"] {
            try storage.store(value: Data([1]), forKey: key, expiration: .seconds(10))
        }
        clock.advance(by: 6)
        #expect(storage.isCached(forKey: "asked"))
        _ = try storage.value(forKey: "none", extendingExpiration: .none)
        _ = try storage.value(forKey: "again", extendingExpiration: .cacheTime)
        _ = try storage.value(forKey: "other", extendingExpiration: .expirationTime(.seconds(100)))
        _ = try storage.value(forKey: "over", extendingExpiration: .expirationTime(.expired))
        storage.settle()
        #expect(!storage.isCached(forKey: "over"))
        clock.advance(by: 9)
        #expect(
            ["asked", "none", "again", "other"].map { storage.isCached(forKey: $0) } == [
                false, false, true, true,
            ])
    }

    @Test func `a file that never expires does not expire after a read either`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .never)
        _ = try storage.value(forKey: "a")
        storage.settle()
        #expect(storage.isCached(forKey: "a", referenceDate: clock.now + 1e10))
    }

    @Test func `a file without a lifetime gets the configuration's when it is read`() throws {
        let url = storage.cacheFileURL(forKey: "a")
        try Data([1]).write(to: url)
        utimensat(AT_FDCWD, url.path, [timespec(clock.now), timespec(clock.now + 5)], 0)
        #expect(try storage.value(forKey: "a") != nil)
        storage.settle()
        #expect(storage.isCached(forKey: "a", referenceDate: clock.now + 6 * 86_400))
    }

    @Test func `a read does not extend the expiry of what was stored since`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(10))
        try storage.core.housekeeping.sync {
            _ = try storage.value(forKey: "a", extendingExpiration: .expirationTime(.seconds(20)))
            try storage.store(value: Data([2]), forKey: "a", expiration: .seconds(500))
        }
        storage.settle()
        #expect(storage.file(forKey: "a")?.stamp.lifetime == 500)
    }

    @Test func `expiry on disk survives a clock that jumps`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(10))
        clock.advance(by: -86_400)
        #expect(try storage.value(forKey: "a") != nil)
        storage.settle()
        #expect(storage.isCached(forKey: "a", referenceDate: clock.now + 86_400 + 9))
        #expect(!storage.isCached(forKey: "a", referenceDate: clock.now + 86_400 + 10))
        clock.advance(by: 365 * 86_400)
        #expect(try storage.value(forKey: "a") == nil)
    }

    @Test func `a lifetime beyond what fits is stored as what fits`() throws {
        try storage.store(value: Data([1]), forKey: "a", expiration: .seconds(5e9))
        #expect(storage.file(forKey: "a")?.stamp.lifetime == 999_999_999)
        try storage.store(value: Data([1]), forKey: "b", expiration: .seconds(.infinity))
        #expect(storage.file(forKey: "b")?.stamp == .never)
        try storage.store(value: Data([1]), forKey: "c", expiration: .days(.max))
        #expect(storage.file(forKey: "c")?.stamp == .never)
    }
}
