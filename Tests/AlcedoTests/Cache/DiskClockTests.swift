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

    @Test func `keeps its entries while it is ten years ahead, and has them when it is right again`() throws {
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

    @Test func `believes it after a day, for the cache may not have been used for years`() throws {
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

    @Test func `is doubted anew each time`() throws {
        for _ in 0..<3 {
            clock.advance(by: years)
            #expect(try storage.removeExpiredValues() == [])
            clock.advance(by: -years)
            clock.advance(by: 60)
        }
        clock.advance(by: years - 1000)
        #expect(try storage.removeExpiredValues() == [])
    }

    @Test func `keeps everything that was stored later when it is ten years behind`() throws {
        clock.advance(by: -years)
        #expect(try storage.removeExpiredValues() == [])
        for number in 0..<20 { #expect(try storage.value(forKey: "\(number)") == Data([1])) }
        clock.advance(by: 8 * 86_400)
        #expect(try storage.removeExpiredValues() == [])
    }

    @Test(arguments: [
        ExpirationExtending.cacheTime, .expirationTime(.seconds(60)), .expirationTime(.days(1)), .none,
    ])
    func `does not shorten what it reads while it is ten years behind`(_ extending: ExpirationExtending)
        throws
    {
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

    @Test func `does not shorten it either where the lifetime is not known`() throws {
        let path = storage.path(forKey: "0")
        let expiry = Int(clock.now.timeIntervalSince1970) + 7 * 86_400
        let times = [timespec(stored: clock.now), timespec(tv_sec: expiry, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        clock.advance(by: -years)
        #expect(try storage.value(forKey: "0") == Data([1]))
        clock.advance(by: years + 6 * 86_400)
        #expect(storage.isCached(forKey: "0"))
    }

    @Test func `is right again: what is to expire sooner does`() throws {
        clock.advance(by: -years)
        _ = try storage.value(forKey: "0")
        clock.advance(by: years + 60)
        _ = try storage.value(forKey: "0", extendingExpiration: .expirationTime(.seconds(5)))
        _ = try storage.value(forKey: "1", extendingExpiration: .expirationTime(.expired))
        clock.advance(by: 5)
        #expect(!storage.isCached(forKey: "0") && !storage.isCached(forKey: "1"))
    }

    @Test func `trims what was used last at last, even while it is ten years behind`() throws {
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

    @Test func `loses what expired in its time as ever`() throws {
        clock.advance(by: 29 * 86_400)
        #expect(try storage.removeExpiredValues().count == 20)
    }

    @Test func `loses single entries that expired long ago`() throws {
        for number in 0..<20 where number != 3 {
            _ = try storage.value(forKey: "\(number)", extendingExpiration: .expirationTime(.never))
        }
        clock.advance(by: years)
        #expect(try storage.removeExpiredValues().map(\.path) == [storage.path(forKey: "3")])
    }

    @Test func `loses what was given an expiry of long ago by the clock as it is`() throws {
        let storage = try DiskStorage.Backend<Data>(config: fixture.config)
        for number in 0..<20 {
            try storage.store(value: Data([1]), forKey: "\(number)")
            let path = storage.path(forKey: "\(number)")
            let date = Date(timeIntervalSinceNow: -years)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        #expect(try storage.removeExpiredValues().count == 20)
    }

    @Test func `is not a reason to exceed the size limit`() throws {
        storage.config.sizeLimit = 15
        clock.advance(by: years)
        try storage.store(value: Data([2]), forKey: "new")
        storage.settle()
        #expect(try storage.totalSize() < 15)
        #expect(storage.isCached(forKey: "new"))
    }

    @Test(arguments: [true, false])
    func `is doubted where that can't be written down`(isFolder: Bool) throws {
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
