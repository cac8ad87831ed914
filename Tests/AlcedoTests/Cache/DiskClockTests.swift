import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

struct `A disk storage whose clock is wrong` {
    let fixture: DiskFixture
    let storage: DiskStorage.Backend<Data>
    private let years = 10 * 365 * 86_400.0
    private var clock: TestClock { fixture.clock }

    init() throws {
        fixture = try DiskFixture()
        storage = try fixture.storage()
        for number in 0..<20 { try storage.store(value: Data([1]), forKey: "\(number)") }
    }

    @Test
    func `a disk storage keeps its entries while its clock is ten years ahead, and after that`() throws {
        clock.advance(by: years)
        for hour in 0..<23 {
            // More is stored in that time than there was.
            for number in 0..<3 { try storage.store(value: Data([2]), forKey: "\(hour) \(number)") }
            #expect(try storage.removeExpiredValues() == [])
            clock.advance(by: 3600)
        }
        clock.advance(by: -years)
        #expect(try storage.removeExpiredValues() == [])
        for number in 0..<20 { #expect(try storage.value(forKey: "\(number)") == Data([1])) }
        #expect(storage.fileNames.contains(ClockSkewGuard.fileName) == false)
    }

    @Test func `a disk storage believes a clock that is years ahead after a day`() throws {
        clock.advance(by: years)
        #expect(try storage.removeExpiredValues() == [])
        #expect(try storage.value(forKey: "7") == nil)
        clock.advance(by: 86_400 - 1)
        #expect(try storage.removeExpiredValues() == [])
        clock.advance(by: 1)
        #expect(try storage.removeExpiredValues().count == 20)
        _ = try storage.removeExpiredValues()
        #expect(storage.fileNames == [])
    }

    @Test func `a clock that jumps years ahead is doubted anew each time`() throws {
        for _ in 0..<3 {
            clock.advance(by: years)
            #expect(try storage.removeExpiredValues() == [])
            clock.advance(by: -years)
            clock.advance(by: 60)
        }
        clock.advance(by: years - 1000)
        #expect(try storage.removeExpiredValues() == [])
    }

    @Test func `a disk storage keeps all its entries while its clock is ten years behind`() throws {
        clock.advance(by: -years)
        #expect(try storage.removeExpiredValues() == [])
        for number in 0..<20 { #expect(try storage.value(forKey: "\(number)") == Data([1])) }
        clock.advance(by: 8 * 86_400)
        #expect(try storage.removeExpiredValues() == [])
    }

    @Test(arguments: [
        ExpirationExtending.cacheTime, .expirationTime(.seconds(60)), .expirationTime(.days(1)), .none,
    ])
    func `reading while the clock is ten years behind does not shorten an entry's lifetime`(
        _ extending: ExpirationExtending
    ) throws {
        clock.advance(by: -years)
        for _ in 0..<4 {
            for number in 0..<20 {
                #expect(try storage.value(forKey: "\(number)", extendingExpiration: extending) == Data([1]))
            }
        }
        clock.advance(by: years + 7 * 86_400 - 1)
        #expect(try storage.removeExpiredValues() == [])
        for number in 0..<20 { #expect(storage.isCached(forKey: "\(number)")) }
        clock.advance(by: 1)
        #expect(try storage.removeExpiredValues().count == 20)
    }

    @Test func `reading while the clock is behind does not shorten a lifetime that is not known`() throws {
        let path = storage.path(forKey: "0")
        let expiry = Int(clock.now.timeIntervalSince1970) + 7 * 86_400
        let times = [timespec(stored: clock.now), timespec(tv_sec: expiry, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        clock.advance(by: -years)
        #expect(try storage.value(forKey: "0") == Data([1]))
        clock.advance(by: years + 6 * 86_400)
        #expect(storage.isCached(forKey: "0"))
    }

    @Test func `an entry can be told to expire sooner once a wrong clock is right again`() throws {
        clock.advance(by: -years)
        _ = try storage.value(forKey: "0")
        clock.advance(by: years + 60)
        _ = try storage.value(forKey: "0", extendingExpiration: .expirationTime(.seconds(5)))
        _ = try storage.value(forKey: "1", extendingExpiration: .expirationTime(.expired))
        clock.advance(by: 5)
        #expect(!storage.isCached(forKey: "0") && !storage.isCached(forKey: "1"))
    }

    @Test func `a disk storage trims the most recently used last, even with a clock years behind`() throws {
        storage.config.sizeLimit = 0
        for number in 0..<10 {
            clock.advance(by: 1)
            try storage.store(value: Data(count: 100), forKey: "large \(number)")
        }
        clock.advance(by: -years)
        storage.config.sizeLimit = 1000
        #expect(try storage.removeSizeExceededValues().count > 5)
        #expect(storage.isCached(forKey: "large 9") && !storage.isCached(forKey: "large 0"))
    }

    @Test func `entries that expired some weeks ago are removed at once, as ever`() throws {
        clock.advance(by: 29 * 86_400)
        #expect(try storage.removeExpiredValues().count == 20)
    }

    @Test func `a single entry that expired years ago is removed at once`() throws {
        for number in 0..<20 where number != 3 {
            _ = try storage.value(forKey: "\(number)", extendingExpiration: .expirationTime(.never))
        }
        clock.advance(by: years)
        #expect(try storage.removeExpiredValues().map(\.path) == [storage.path(forKey: "3")])
    }

    @Test func `entries that were given an expiry of years ago are removed at once`() throws {
        let storage = try DiskStorage.Backend<Data>(config: fixture.config)
        for number in 0..<20 {
            try storage.store(value: Data([1]), forKey: "\(number)")
            let path = storage.path(forKey: "\(number)")
            let date = Date(timeIntervalSinceNow: -years)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        #expect(try storage.removeExpiredValues().count == 20)
    }

    @Test func `a wrong clock is no reason to exceed the size limit`() throws {
        storage.config.sizeLimit = 15
        clock.advance(by: years)
        try storage.store(value: Data([2]), forKey: "new")
        storage.settle()
        #expect(try storage.totalSize() < 15)
        #expect(storage.isCached(forKey: "new"))
    }

    @Test(arguments: [true, false])
    func `a clock years ahead is doubted even where that can't be written down`(isFolder: Bool) throws {
        let mark = storage.directoryURL.appendingPathComponent(ClockSkewGuard.fileName)
        try FileManager.default.createDirectory(at: mark, withIntermediateDirectories: true)
        if !isFolder {
            try FileManager.default.removeItem(at: mark)
            try FileManager.default.createSymbolicLink(at: mark, withDestinationURL: fixture.parent.url)
        }
        clock.advance(by: years)
        #expect(try storage.removeExpiredValues() == [])
        #expect(FileManager.default.fileExists(atPath: fixture.parent.path))
    }
}
