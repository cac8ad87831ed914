import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A cache of entries` {
    private let fixture: DiskFixture
    private let clock = ManualStallCheck()
    private let cache: EntryCache
    private let hang = Gate()
    private let data = Data(count: 1000)

    init() throws {
        fixture = try DiskFixture()
        cache = EntryCache(try fixture.storage(stallCheck: clock.check).core)
    }

    private func hangDisk() async {
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
    }

    private func find(_ key: String) async -> Data? {
        let found = Recorder<Data?>()
        cache.find(key) { found.append($0) }
        return await found.waitFor(count: 1)[0]
    }

    @Test func `an entry is found with its last change, on disk or not`() async throws {
        let ended = Recorder<Bool>()
        for text in ["a", "b"] {
            cache.store(Data(text.utf8), forKey: "x", expiration: nil) {
                ended.append((try? $0.get()) != nil)
            }
        }
        try await cache.flush(within: 600)
        #expect(await find("x") == Data("b".utf8) && ended.values == [true, true])
        await hangDisk()
        cache.remove("x")
        #expect(await find("x") == nil)
        cache.store(data, forKey: "x", expiration: nil) { _ in }
        cache.store(data, forKey: "y", expiration: nil) { _ in }
        cache.remove("y")
        #expect(await find("x") == data)
        #expect(cache.hasPendingChanges)
        hang.open()
        try await cache.flush(within: 600)
        #expect(await find("x") == data)
        #expect(await find("y") == nil)
        #expect(!cache.hasPendingChanges)
    }

    @Test func `an entry that has expired is not found, and removed after a store`() async throws {
        cache.store(data, forKey: "x", expiration: .seconds(60)) { _ in }
        try await cache.flush(within: 600)
        cache.disk.housekeeping.sync {}
        fixture.clock.advance(by: 601)
        #expect(await find("x") == nil)
        #expect(try cache.disk.entries().count == 1)
        cache.store(data, forKey: "y", expiration: nil) { _ in }
        try await cache.flush(within: 600)
        cache.disk.housekeeping.sync {}
        #expect(try cache.disk.entries().count == 1)
    }

    @Test func `a store fails once the disk hangs, and is written once that responds`() async throws {
        await hangDisk()
        let ended = Recorder<String>()
        let store = { [cache] (key: String, bytes: Int) in
            cache.store(Data(count: bytes), forKey: key, expiration: nil) { result in
                guard case .failure(let error) = result else { return ended.append("\(key) is stored") }
                ended.append("\(key): \(error.cause.map { "\(type(of: $0))" } ?? "")")
            }
        }
        store("small", 1000)
        store("large", 40 << 20)
        for _ in 0..<2 { clock.tick() }
        let stall = "DiskStallError"
        #expect(Set(await ended.waitFor(count: 2)) == ["small: \(stall)", "large: \(stall)"])
        #expect(await find("small")?.count == 1000)
        #expect(await find("large") == nil)
        // There is no room for it beside the small one.
        store("next", 32 << 20)
        #expect(await ended.waitFor(count: 3).last == "next: \(stall)")
        hang.open()
        await #expect(throws: Never.self) { try await cache.flush(within: 600) }
        #expect(await find("small")?.count == 1000)
        #expect(await find("large") == nil)
        #expect(await find("next") == nil)
        #expect(cache.writes.queued.bytes == 0 && cache.writes.failures == 2)
    }

    @Test func `a flush that ends too early says what is missing`() async throws {
        await hangDisk()
        cache.store(data, forKey: "x", expiration: nil) { _ in }
        cache.remove("y")
        await #expect(throws: CacheFlushError(pendingCount: 2, pendingBytes: 1000)) {
            try await cache.flush(within: 0.01)
        }
        hang.open()
        try await cache.flush(within: 600)
    }
}
