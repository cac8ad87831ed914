import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Stores that find their folder full.
@Suite(.timeLimit(.minutes(10)))
struct `A disk storage that is full` {
    var fixture: DiskFixture
    let limit = 100_000

    init() throws {
        fixture = try DiskFixture()
        fixture.config.sizeLimit = UInt(limit)
    }

    @Test func `a full disk storage fails no store of many in a row, and evicts the oldest`() throws {
        let storage = try fixture.storage()
        for number in 0..<2000 {
            fixture.clock.advance(by: 0.01)
            try storage.store(value: Data(count: limit / 100), forKey: "\(number)")
        }
        storage.settle()
        #expect(storage.core.quota.rejections == 0)
        #expect((1960..<2000).allSatisfy { storage.isCached(forKey: "\($0)") })
        #expect(Int(try storage.totalSize()) <= DiskQuota.ceiling(of: limit))
    }

    @Test func `a full disk storage needs no trim in the background`() throws {
        let storage = try fixture.storage()
        // None can run.
        storage.core.housekeeping.suspend()
        for number in 0..<20 {
            try storage.store(value: Data(count: limit / 10), forKey: "\(number)")
            fixture.clock.advance(by: 1)
        }
        storage.core.housekeeping.resume()
        #expect(storage.core.quota.rejections == 0 && storage.isCached(forKey: "19"))
    }

    @Test func `a disk storage counts a store once that is written during a listing`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 1000), forKey: "before")
        try storage.core.count { moment in
            // One that the listing sees, and one that it does not.
            if moment == .starts { try? storage.store(value: Data(count: 500), forKey: "seen") }
            if moment == .ends { try? storage.store(value: Data(count: 200), forKey: "unseen") }
        }
        #expect(storage.isCached(forKey: "seen") && storage.isCached(forKey: "unseen"))
        #expect(storage.core.quota.total == 1700)
    }

    @Test func `a disk storage counts a file once that waits for room during a listing`() throws {
        let storage = try fixture.storage()
        try storage.store(value: Data(count: 1000), forKey: "a")
        let (path, descriptor) = try storage.core.folder.makeStagingFile(bytes: 700)
        defer { close(descriptor) }
        let file = try #require(attributes(ofPath: path)?.st_ino)
        #expect(storage.core.quota.reserve(limit * 2, for: file, limit: limit) == .full)
        #expect(try storage.core.count().total == 1000)
        #expect(storage.core.quota.reserve(700, for: file, limit: limit) == .granted)
        #expect(storage.core.quota.total == 1700)
    }

    @Test func `a full disk storage fails no store of many threads`() async throws {
        let storage = try fixture.storage()
        let (failures, limit) = (Recorder<String>(), limit)
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<300 {
                        do {
                            try storage.store(value: Data(count: limit / 100), forKey: "\(thread) \(number)")
                        } catch {
                            failures.append("\(error)")
                        }
                    }
                }
            }
        }
        storage.settle()
        #expect(failures.values == [])
        // One that is staged while a listing runs, and reserves its bytes after that, counts twice until the next one.
        #expect(storage.core.quota.total >= Int(try storage.totalSize()))
        try storage.core.count()
        #expect(storage.core.quota.total == Int(try storage.totalSize()))
    }

    @Test func `a full disk storage fails no store of 10,000 calls that do not wait`() async throws {
        let cache = CacheFixture.cache(try fixture.storage(), clock: fixture.clock)
        let results = Recorder<String?>()
        for number in 0..<10_000 {
            cache.storeToDisk(Data(count: limit / 100), forKey: "\(number)") { result in
                results.append(result.diskCacheResult.error.map { "\($0)" })
            }
        }
        try await cache.flush(within: .seconds(1000))
        #expect(await results.waitFor(count: 10_000).compactMap(\.self) == [])
        #expect(cache.diskStorage.core.quota.rejections == 0)
    }
}
